/** What a plan may say but is worth a word before it runs. */
import { sloWithoutMetricWarning } from './check-bounds.ts';
import { doubtfulValues } from './doubtful-values.ts';
import type { Plan, RequestTemplate } from './plan.ts';
import { DIRECT, withoutPassword } from './proxy-setting.ts';
import { SECRET_LENGTH_MIN } from './redact-secrets.ts';

/** The warnings about `plan`, in the order of its sections; `secrets` are those that it holds. Secrets may be in the texts. */
export function planWarnings(plan: Plan, secrets: Iterable<string>): string[] {
  const { target, requests, data, phases, slo, thresholds } = plan;
  const warnings: string[] = [];
  if (target.proxy !== DIRECT)
    warnings.push(`target.proxy: all requests go through the proxy ${withoutPassword(target.proxy)}`);
  if (phases.every((phase) => phase.warmup)) warnings.push('every phase is a warm-up: nothing is measured');
  warnings.push(...sameStartWarnings(phases));
  if (target.insecure) warnings.push('target.tls.insecure: any certificate is accepted');
  if (data !== null && !requests.some(usesTemplates)) warnings.push(`no request uses a column of ${data.file.name}`);
  const sloWarning = sloWithoutMetricWarning(slo, requests);
  if (sloWarning !== null) warnings.push(sloWarning);
  warnings.push(...doubtfulValues(thresholds, requests));
  for (const { name, llm, body } of requests) {
    if (llm === null || body.kind !== 'text' || body.text.includes('{{')) continue;
    warnings.push(`request "${name}": every prompt is the same, so a server with a prefix cache answers from it`);
  }
  for (const secret of secrets) {
    if (secret.length < SECRET_LENGTH_MIN)
      warnings.push(`a secret has fewer than ${SECRET_LENGTH_MIN} characters: it cannot be hidden by value`);
  }
  return warnings;
}

/** A batch has no length, so what is written behind it does not wait for it. */
function sameStartWarnings(phases: Plan['phases']): string[] {
  return phases.slice(0, -1).flatMap(({ name, arrivals }, index) => {
    const next = phases[index + 1];
    if (arrivals.kind !== 'all-at-once' || next === undefined || isPause(next)) return [];
    return `phase "${name}": all of it is due at once, so phase "${next.name}" begins at the same instant; a phase with rate: 0 between them is a pause`;
  });
}

function isPause({ arrivals }: Plan['phases'][number]): boolean {
  return 'knots' in arrivals && arrivals.knots.every(({ ratePerSecond }) => ratePerSecond === 0);
}

function usesTemplates(request: RequestTemplate): boolean {
  const texts = [
    request.url,
    ...request.headers.map(([, value]) => value),
    request.body.kind === 'text' ? request.body.text : '',
  ];
  return texts.some((text) => text.includes('{{'));
}
