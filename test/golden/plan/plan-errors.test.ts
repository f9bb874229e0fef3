import { describe, expect, it } from 'vitest';
import { planErrorOf } from '../../support/plan-of-text.ts';

/** Plans with typical mistakes and the whole message that the user reads. */
const mistakes: Readonly<Record<string, string>> = {
  'a plan with many faults': `nmae: checkout
timeout: 5s
target: { url: "http://127.0.0.1:8080/api", tls: { insecure: yes } }
workload:
  - { nam: a, weight: 0, method: get, url: "a b", headers: { Content-Length: 3 }, expect: { status: 700 } }
load:
  - { rate: 1_000, duration: 30 }
  - { rate: "\${RTE}", duration: 1m30, arrivals: poison }
threshholds: ["p99(response)<50ms"]
thresholds: ["p99(respons)<50ms", "share(faild)<1", "q9(x)<1"]
slo: { respnse: 200ms }
limits: { maxInFlight: 010, maxQueue: -1, timeout: 2147483648 }
`,
  'YAML that cannot be read': 'target: {url: "http://h"}\ntarget: {}\nload:\n\t- rate: 1\n',
  'an empty plan': '{}',
  'values of the wrong kind':
    'target: http://h\nload: {rate: 1}\nworkload: 5\nlimits: []\nslo: [1]\nthresholds: {a: b}\n',
};

describe('messages of wrong plans', () => {
  it.each(Object.entries(mistakes))('%s', async (name, text) => {
    const message = planErrorOf(text, { environment: { RATE: '20' } });
    await expect(`${message}\n`).toMatchFileSnapshot(`plan-errors/${name.replaceAll(' ', '-')}.txt`);
  });

  it('a plan with more faults than anyone reads is cut', async () => {
    const unknown = Array.from({ length: 80 }, (_, index) => `key${index}: 1`).join('\n');
    const lines = planErrorOf(`target: {url: "http://h"}\nload: [{rate: 1, duration: 1s}]\n${unknown}`).split('\n');
    expect(lines).toHaveLength(52);
    expect(lines[0]).toBe('plan.yaml has 80 problems:');
    expect(lines.at(-1)).toBe('  ... and 30 more');
  });
});
