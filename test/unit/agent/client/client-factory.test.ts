/** Which client a plan gets, by its wish and the HTTP version. */
import { expect, it } from 'vitest';
import { createClient } from '../../../../agent/client/client-factory.ts';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { hostClock } from '../../../../shared/time/monotonic-clock.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

function nameFor(client: Plan['target']['client'], httpVersion: Plan['target']['httpVersion'], url: string): string {
  const plan = createPlan({ targetUrl: url });
  return createClient({ ...plan, target: { ...plan.target, client, httpVersion } }, hostClock).name;
}

it.each([
  ['auto', 'auto', 'http', 'wire http/1.1'],
  ['wire', '1.1', 'https', 'wire http/1.1'],
  ['undici', 'auto', 'http', 'undici http/1.1'],
  ['auto', '2', 'http', 'wire h2c'],
  ['auto', '2', 'https', 'wire h2'],
  ['wire', '2', 'https', 'wire h2'],
] as const)('%s with http %s over %s is %s', (client, version, scheme, name) => {
  expect(nameFor(client, version, `${scheme}://127.0.0.1:9/`)).toBe(name);
});

it('says which client does not speak HTTP/2', () => {
  expect(() => nameFor('undici', '2', 'http://127.0.0.1:9/')).toThrow('target.client: "undici" does not speak HTTP/2');
});
