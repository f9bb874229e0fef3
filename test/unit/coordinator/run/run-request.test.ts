import { describe, expect, it } from 'vitest';
import { runShapeOf } from '../../../../coordinator/run/run-request.ts';
import { planEndNs } from '../../../../shared/plan/release-end.ts';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

function requestOf(plan: Plan) {
  return { bundle: { plan, blobs: new Map(), effectiveYaml: '', secrets: [] }, command: 'test' };
}

describe('the shape of a run', () => {
  const plan = createPlan({ durationNs: 3e9 });

  it('comes from the plan', () => {
    expect(runShapeOf(requestOf(plan))).toEqual({
      agents: 1,
      releaseEndNs: 3e9 + plan.limits.phaseGraceNs,
      drainNs: plan.limits.drainNs,
      armTimeoutNs: plan.fleet.armTimeoutNs,
      onAgentLoss: 'continue',
    });
  });

  it('redeal is refused with a clear message, not treated as something else', () => {
    const redeal = { ...plan, fleet: { ...plan.fleet, onAgentLoss: 'redeal' as const } };
    expect(() => runShapeOf(requestOf(redeal))).toThrow(
      expect.objectContaining({
        code: 'plan',
        message: expect.stringContaining('fleet.onAgentLoss: redeal is not available'),
      }),
    );
  });

  it('the plan ends with its last phase', () => {
    const [phase] = plan.phases;
    const phases = [phase!, { ...phase!, startNs: 3e9, durationNs: 5e9 }, { ...phase!, startNs: 8e9, durationNs: 0 }];
    expect(planEndNs({ ...plan, phases })).toBe(8e9);
  });
});
