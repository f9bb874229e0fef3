/** Nothing that a server, a plan or an operator says is obeyed by whoever opens the report, and no secret is in it. */
import { normaliseDetail } from '../../../../agent/worker/failure-examples.ts';
import { describe, expect, it } from 'vitest';
import { ServerBooks } from '../../../../coordinator/scrape/server-books.ts';
import { csvCell } from '../../../../coordinator/report/windows-csv.ts';
import { createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { planOfText, smallPlan } from '../../../support/plan-of-text.ts';
import { resultOf, schemaErrors } from '../../../support/result-of.ts';
import { syntheticRun, type SyntheticRun } from '../../../support/synthetic-run.ts';

const escape = '\u001b';

function hostileRun(text: string): SyntheticRun {
  const base = createPlan({ ratePerSecond: 40, durationNs: 2e9 });
  const phase = base.phases[0];
  if (phase === undefined) throw new Error('the fixture has a phase');
  const plan = {
    ...base,
    phases: [{ ...phase, name: text }],
    requests: [
      createRequestTemplate({ name: text, url: 'http://127.0.0.1:9/' }),
      createRequestTemplate({ name: 'b', url: 'http://127.0.0.1:9/' }),
    ],
  };
  return syntheticRun({
    plan,
    fate: ({ rank }) =>
      rank % 2 === 0
        ? { kind: 'failed', class: 'protocol', detail: text, wakeLagNs: 0, serviceNs: 1000 }
        : { kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: 1000 },
  });
}

describe('R107 output is inert', () => {
  it.each([
    ['=1+2', "'=1+2"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =cmd', "'  =cmd"],
    ['"=cmd', '"\'""=cmd"'],
    ['\uff1d1+2', "'\uff1d1+2"],
    ['\uff0b1', "'\uff0b1"],
    ['\uff0d1', "'\uff0d1"],
    ['\uff20SUM(A1)', "'\uff20SUM(A1)"],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['plain name', 'plain name'],
  ])('R107 the cell %j cannot become a formula', (text, expected) => {
    expect(csvCell(text)).toBe(expected);
  });

  it('R107 a text cell with a line break or tab stays on its line', () => {
    expect(csvCell('a\r\n=b')).not.toMatch(/[\r\n]/);
    expect(csvCell('\t=b')).not.toMatch(/^\s*=/);
  });

  it('R107 keeps a hostile name and error text out of the terminal and out of formulas', () => {
    const text = `=HYPERLINK("http://x")${escape}]0;owned\u0007\r\n<img src=x onerror=alert(1)>`;
    const { summary, files } = resultOf(hostileRun(text));
    // That there is none is the point.
    expect(summary).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    for (const line of (files.get('windows.csv') ?? '').trimEnd().split('\r\n')) {
      expect(line.split(',')[1] ?? '').not.toMatch(/^"?[=+\-@]/);
    }
    // JSON stays JSON, with the text as it is.
    expect(JSON.stringify(JSON.parse(files.get('result.json') ?? ''))).toContain('onerror');
  });
});

describe('R106 output holds no secret', () => {
  const canary = 'CANARY-9f8e7d6c"5b/4a&ü';
  const base = createPlan({ ratePerSecond: 40, durationNs: 2e9 });
  const plan = {
    ...base,
    requests: [
      createRequestTemplate({
        name: `login ${canary}`,
        url: `http://127.0.0.1:9/?key=${encodeURIComponent(canary)}`,
        headers: [['authorization', `Bearer ${canary}`]],
        body: { kind: 'text', text: JSON.stringify({ token: canary }) },
      }),
    ],
  };
  const run = syntheticRun({
    plan,
    fate: ({ rank }) =>
      rank % 2 === 0
        ? { kind: 'failed', class: 'protocol', detail: `bad token ${canary}`, wakeLagNs: 0, serviceNs: 1000 }
        : { kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: 1000 },
  });
  const result = resultOf(run, {
    record: {
      secrets: [canary, 'timeout', 'finished'],
      command: `loadfleet run --header 'authorization: Bearer ${canary}'`,
      effectiveYaml: `headers:\n  authorization: Bearer ${canary}\n`,
      warnings: [`the server said ${canary}`],
      end: { kind: 'failed', atNs: 1e9, reason: `rejected ${canary}` },
      agents: run.record.agents.map((agent) => ({ ...agent, labels: { [canary]: canary } })),
    },
  });

  it('R106 the canary is in none of the files, in no form', () => {
    const forms = [canary, encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1), 'CANARY-9f8e'];
    const texts = [...result.files.values(), result.summary, JSON.stringify(result.outcome)];
    for (const text of texts) for (const form of forms) expect(text).not.toContain(form);
    expect(result.files.get('result.json')).toContain('[redacted]');
    expect(result.files.get('plan.effective.yaml')).toContain('[redacted]');
  });

  it.each(['sk-live-Ab12Cd34Ef56', 'plainlettersonlykey', 'tok_0123456789abcdef_Secret'])(
    'R106 nor what is left of %s after a worker has taken numbers out of a failure and cut it',
    (secret) => {
      const texts = [`bad token ${secret}`, `${'x'.repeat(108)} ${secret}`, `cut: ${secret.slice(0, 12)}`];
      const failing = syntheticRun({
        plan,
        fate: ({ rank }) => {
          const detail = normaliseDetail(texts[rank % texts.length] as string);
          return { kind: 'failed', class: 'protocol', detail, wakeLagNs: 0, serviceNs: 1000 };
        },
      });
      const { value, files } = resultOf(failing, { record: { secrets: [secret] } });
      expect(value.failures.map(({ detail }) => detail).join('\n')).toContain('[redacted]');
      for (const text of files.values()) expect(text).not.toMatch(/sk-live|Ab#|plainle|tok_|_Secret/);
    },
  );

  it.each(['none', '1000'])('R106 a short secret such as %s leaves the stored plan one that can be run', (secret) => {
    const { effectiveYaml } = planOfText(smallPlan(`workload: [{headers: {X-V: "\${secret:KEY}"}}]`), {
      environment: { KEY: secret },
    });
    const { files } = resultOf(syntheticRun({ plan }), { record: { secrets: [secret], effectiveYaml } });
    const stored = files.get('plan.effective.yaml') ?? '';
    expect(stored).toMatch(/X-V: "\[redacted\]"/);
    expect(planOfText(stored).plan.limits).toEqual(planOfText(smallPlan()).plan.limits);
  });

  it('R106 nor a secret in clear behind its own name, however short', () => {
    const { plan: named } = planOfText(
      smallPlan(`workload:
  - {url: "/a?key=q1w2&x=1", headers: {X-Api-Key: ab12cd, Cookie: [s=ab1, t=ab2], Authorization: Basic dTpw, X-A: kept}}
scrape: [{url: "/metrics?token=tk77&x=1"}]`),
    );
    const [scrape] = named.scrapes;
    if (scrape === undefined) throw new Error('the plan reads a page');
    const books = new ServerBooks([0, 10], () => true);
    const servers = [{ scrape, books, pages: 1, failed: 0, reasons: [] }];
    const { files } = resultOf(syntheticRun({ plan: named }), { record: { servers } });
    for (const text of files.values()) expect(text).not.toMatch(/q1w2|ab12cd|ab1|ab2|dTpw|tk77/);
    expect(files.get('result.json')).toMatch(
      /"kept"[^]*metrics\?token=\[redacted\]&x=1[^]*metrics\?token=\[redacted\]&x=1/,
    );
  });

  it('a secret that is a word of ours does not break the shape', () => {
    expect(schemaErrors(result.value)).toEqual([]);
    expect(Object.keys(result.value.accounting.failed)).toContain('timeout');
  });
});
