/** The preheat speaks to a target of its own with the plan's client, and leaves no trace. */
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { createClient } from '../../../agent/client/client-factory.ts';
import type { ProtocolClient } from '../../../agent/client/protocol-client.ts';
import { platformScheduler } from '../../../agent/worker/pacer.ts';
import { preheat } from '../../../agent/worker/preheat.ts';
import type { Plan } from '../../../shared/plan/plan.ts';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { createPlan } from '../../support/plan-fixture.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

it.each([
  ['wire', '1.1'],
  ['undici', '1.1'],
  ['auto', '2'],
] as const)('heats the %s client for HTTP/%s without a byte to the target', async (client, httpVersion) => {
  const server = await startScriptedServer(() => undefined);
  try {
    const base = createPlan({ targetUrl: server.url });
    const plan: Plan = { ...base, target: { ...base.target, client, httpVersion } };
    const made: ProtocolClient[] = [];
    await preheat({
      plan,
      hostClock,
      scheduler: platformScheduler,
      readIdleNs: () => performance.nodeTiming.idleTime * 1e6,
      createClient: (heated, clock) => {
        const one = createClient(heated, clock);
        made.push(one);
        return one;
      },
    });
    expect(made).toHaveLength(1);
    expect(made[0]!.counters.bytesReceived).toBeGreaterThan(0);
    expect(server.sockets).toHaveLength(0);
  } finally {
    await server.close();
  }
});
