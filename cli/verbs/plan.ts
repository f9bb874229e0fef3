/** `loadfleet plan explain`: what a plan would send, without sending. */

import type { Command } from 'commander';
import { availableParallelism } from 'node:os';
import type { VerbContext } from '../verb-context.ts';
import { addPlanOptions, planFlagsOf } from '../plan-options.ts';

/** Adds the verb `plan` with its only action, `explain`. */
export function addPlanVerb(program: Command, context: VerbContext): void {
  const plan = program.command('plan').description('look at a plan without running it');
  const explain = plan
    .command('explain')
    .description('print what would be sent: phases, counts, curves, lanes, limits and the first requests')
    .argument('[plan]', 'plan file; without it the flags are the plan')
    .option('--json', 'print JSON');
  addPlanOptions(explain).action(async (file: string | undefined, options: Readonly<Record<string, unknown>>) => {
    const [
      { loadPlan },
      { agentLossPolicyOf },
      { explainPlan },
      { formatExplanation },
      { capacityText, certificationHere, planCapacity },
    ] = await Promise.all([
      import('../load-plan.ts'),
      import('../../coordinator/run/run-request.ts'),
      import('../../shared/plan/explain-plan.ts'),
      import('../../shared/plan/format-explanation.ts'),
      import('../plan-capacity.ts'),
    ]);
    const parsed = loadPlan(
      {
        file: file ?? null,
        flags: planFlagsOf(options),
        environment: process.env,
        workingFolder: process.cwd(),
      },
      null,
    );
    // What would be refused is not explained as if it were sent.
    agentLossPolicyOf(parsed.plan);
    const explanation = explainPlan(parsed, { cores: availableParallelism() });
    const { certified } = certificationHere(parsed.plan, process.env);
    const capacity = planCapacity(parsed.plan, explanation.fleet.workerSlots, certified);
    const text =
      options['json'] === true
        ? `${JSON.stringify({ ...explanation, capacity }, null, 2)}\n`
        : `${formatExplanation(explanation)}${capacityText(capacity)}`;
    await context.console.out(text);
  });
}
