import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REPORT_MARGIN_NS } from '../../../../coordinator/run/advance-run.ts';
import type { RunHappening } from '../../../../coordinator/run/run-state.ts';
import { FakeRun, SHAPE } from '../../../support/fake-run.ts';

describe('whatever happens in whatever order', () => {
  const agent = fc.constantFrom('a', 'b', 'z');
  const happening: fc.Arbitrary<RunHappening> = fc.oneof(
    fc.constant({ kind: 'agents-ready' as const, agents: ['a', 'b'] }),
    fc.record({ kind: fc.constant('armed' as const), agent, startLeadNs: fc.nat(1e9) }),
    fc.record({
      kind: fc.constant('refused' as const),
      agent,
      step: fc.constantFrom('arm', 'start'),
      reason: fc.constant('r'),
    }),
    fc.record({ kind: fc.constant('agent-done' as const), agent }),
    fc.record({ kind: fc.constant('agent-lost' as const), agent, reason: fc.constant('r') }),
    fc.record({
      kind: fc.constant('stop' as const),
      signal: fc.constantFrom('SIGINT', 'SIGTERM'),
      abrupt: fc.boolean(),
    }),
  );

  it('the run ends once and for all, within the time its deadlines allow, and starts at most once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(happening, fc.nat(20e9)), { maxLength: 30 }),
        fc.constantFrom('abort' as const, 'continue' as const),
        (steps, onAgentLoss) => {
          const run = new FakeRun({ onAgentLoss });
          for (const [each, waitNs] of steps) run.happen(each).pass(waitNs);
          run.pass(20e9 + 20e9 + 1e9 + SHAPE.releaseEndNs + SHAPE.drainNs + REPORT_MARGIN_NS);
          expect(run.end).not.toBeNull();
          expect(run.kinds.filter((kind) => kind === 'end-run')).toHaveLength(1);
          expect(run.kinds.at(-1)).toBe('end-run');
          expect(run.kinds.filter((kind) => kind === 'start-agents').length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
