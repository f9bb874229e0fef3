import { describe, expect, it } from 'vitest';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const withHeader = (value: string): string => smallPlan(`workload: [{headers: {X-V: ${JSON.stringify(value)}}}]`);
const headerOf = (value: string, environment: Record<string, string>, files: Record<string, string> = {}): string =>
  planOfText(withHeader(value), { environment, files }).plan.requests[0]?.headers[0]?.[1] ?? '';

describe('R087 values of the environment', () => {
  it('R087 a rate from a variable is a number', () => {
    const { plan } = planOfText(smallPlan('', '{rate: "${RATE}", duration: 10s}'), { environment: { RATE: '20' } });
    expect(plan.phases[0]?.arrivals).toMatchObject({ knots: [{ ratePerSecond: 20 }, { ratePerSecond: 20 }] });
  });

  it('R087 a nested header, a list item and a threshold are replaced', () => {
    const text = smallPlan(
      'workload: [{headers: {X-A: ["1", "${TWO}"]}}]\nthresholds: ["p99(response)<${LIMIT}"]\nfleet: {agents: "${N}"}',
    );
    const { plan } = planOfText(text, { environment: { TWO: 'two', LIMIT: '50ms', N: '3' } });
    expect(plan.requests[0]?.headers).toEqual([
      ['X-A', '1'],
      ['X-A', 'two'],
    ]);
    expect(plan.thresholds[0]?.bound).toBe(50e6);
    expect(plan.fleet.agents).toBe(3);
  });

  it('R087 an unset variable is an error with its name, its path and the nearest set one, once', () => {
    const message = planErrorOf(smallPlan('', '{rate: "${RTE}", duration: 10s}'), { environment: { RATE: '20' } });
    expect(message).toBe(
      'plan.yaml has a problem:\n  plan.yaml:2:15: load[0].rate: the variable RTE is not set, did you mean RATE? ' +
        '(a default is written ${RTE:-value})',
    );
  });

  it('R087 a value that is set but empty is an error, not an empty text', () => {
    expect(planErrorOf(withHeader('x${EMPTY}'), { environment: { EMPTY: '' } })).toMatch(/EMPTY is set but empty/);
  });

  it.each([
    ['$', '$'],
    ['$$', '$'],
    ['$${A}', '${A}'],
    ['$$$${A}', '$${A}'],
    ['$$${A}', '$1'],
    ['cost $5 and $x', 'cost $5 and $x'],
    ['${A}${A}', '11'],
    ['${MISSING:-d}', 'd'],
    ['${MISSING:-}x', 'x'],
    ['${EMPTY:-d}', 'd'],
    ['${A:-d}', '1'],
    ['${MISSING:-a:-b}', 'a:-b'],
    ['${MISSING:-$A}', '$A'],
    ['${secret:A}', '1'],
  ])('%s gives %s', (written, value) => {
    expect(headerOf(written, { A: '1', EMPTY: '' })).toBe(value);
  });

  it('a value is not read again', () => {
    expect(headerOf('${A}', { A: '${B} $$ {x: 1}', B: 'no' })).toBe('${B} $$ {x: 1}');
  });

  it.each(['${A', '${}', '${1A}', '${A-d}', '${A B}', '${secret:}', '${:-x}'])('%s is refused', (written) => {
    expect(planErrorOf(withHeader(written), { environment: { A: '1' } })).toMatch(/write \$\{NAME\}/);
  });

  it('names of prototypes are not variables', () => {
    expect(planErrorOf(withHeader('${constructor}'))).toMatch(/constructor is not set/);
  });

  it('a variable in a key is refused', () => {
    expect(planErrorOf(smallPlan('workload: [{headers: {"X-${A}": v}}]'), { environment: { A: 'a' } })).toMatch(
      /variables are replaced in values, not in keys/,
    );
  });

  it('a wrong value names its variable', () => {
    expect(planErrorOf(smallPlan('', '{rate: "${RATE}", duration: 10s}'), { environment: { RATE: 'fast' } })).toMatch(
      /"fast" is not a rate.*\(from RATE\)/,
    );
  });
});

describe('secret files', () => {
  it('are read without their last line break and are secret', () => {
    const { plan, secrets } = planOfText(withHeader('Bearer ${file:key}'), { files: { key: 'canary-31337\n' } });
    expect(plan.requests[0]?.headers[0]?.[1]).toBe('Bearer canary-31337');
    expect(secrets).toContain('canary-31337');
  });

  it('must be there and hold something', () => {
    expect(planErrorOf(withHeader('${file:none}'))).toMatch(/none cannot be read: no such file/);
    expect(planErrorOf(withHeader('${file:empty}'), { files: { empty: '\n' } })).toMatch(/"empty" is empty/);
  });
});
