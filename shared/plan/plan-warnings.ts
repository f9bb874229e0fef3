/** What a plan may say but is worth a word before it runs. */
import { sloWithoutMetricWarning } from './check-bounds.ts';
import { doubtfulValues } from './doubtful-values.ts';
import { grpcKindOf } from './grpc-type.ts';
import type { Plan, RequestTemplate } from './plan.ts';
import { DIRECT, withoutPassword } from './proxy-setting.ts';
import { SECRET_LENGTH_MIN } from './redact-secrets.ts';
import { evenInstants } from '../schedule/even.ts';
import { compileRateCurve } from '../schedule/rate-curve.ts';
import { formatDuration } from '../time/duration.ts';

/** The warnings about `plan`, in the order of its sections; `secrets` are those that it holds. Secrets may be in the texts. */
export function planWarnings(plan: Plan, secrets: Iterable<string>): string[] {
  const { target, requests, data, phases, slo, thresholds } = plan;
  const warnings: string[] = [];
  if (target.proxy !== DIRECT)
    warnings.push(`target.proxy: all requests go through the proxy ${withoutPassword(target.proxy)}`);
  if (phases.every((phase) => phase.warmup)) warnings.push('every phase is a warm-up: nothing is measured');
  warnings.push(...sameStartWarnings(phases), ...emptyPhaseWarnings(phases));
  if (target.insecure) warnings.push('target.tls.insecure: any certificate is accepted');
  if (data !== null) warnings.push(...rowWarnings(data, requests));
  const sloWarning = sloWithoutMetricWarning(slo, requests);
  if (sloWarning !== null) warnings.push(sloWarning);
  warnings.push(...doubtfulValues(thresholds, requests));
  warnings.push(...requests.flatMap((request) => grpcWarnings(request, target.httpVersion)));
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

/** R036: of calls whose status is not where it is looked for, a failed one looks like an answer. */
function grpcWarnings({ name, headers }: RequestTemplate, httpVersion: Plan['target']['httpVersion']): string[] {
  const kind = grpcKindOf(headers);
  if (kind === 'grpc-web')
    return [
      `request "${name}": the status of gRPC-Web is at the end of the body, which is not read: a failed call with status 200 is ok`,
    ];
  if (kind === null || httpVersion === '2') return [];
  return [
    `request "${name}": gRPC needs target.http: 2; over HTTP/1.1 no grpc-status is read, and a failed call with status 200 is ok`,
  ];
}

/** A batch has no length, so what is written behind it does not wait for it. */
function sameStartWarnings(phases: Plan['phases']): string[] {
  return phases.slice(0, -1).flatMap(({ name, arrivals }, index) => {
    const next = phases[index + 1];
    if (arrivals.kind !== 'all-at-once' || next === undefined || isPause(next)) return [];
    return `phase "${name}": all of it is due at once, so phase "${next.name}" begins at the same instant; a phase with rate: 0 between them is a pause`;
  });
}

/** Even arrivals do not carry a remainder over into the next phase, so a short one may have none of its own. */
function emptyPhaseWarnings(phases: Plan['phases']): string[] {
  return phases.flatMap(({ name, arrivals, durationNs }) => {
    if (arrivals.kind !== 'even') return [];
    const curve = compileRateCurve(arrivals.knots, durationNs);
    if (curve.totalMass === 0 || evenInstants(curve).count > 0) return [];
    const share = Number(curve.totalMass.toPrecision(3));
    return `phase "${name}": its rate comes to ${share} arrivals in ${formatDuration(durationNs)}, so nothing is sent; poisson arrivals keep such a rate on average`;
  });
}

/** Rows go to arrivals before it is known which request they send: those that fall to a request without columns are not sent (R092). */
function rowWarnings({ file, rows }: NonNullable<Plan['data']>, requests: readonly RequestTemplate[]): string[] {
  const total = requests.reduce((sum, { weight }) => sum + weight, 0);
  const unused = requests.filter((request) => !usesTemplates(request));
  if (unused.length === requests.length) return [`no request uses a column of ${file.name}`];
  if (unused.length === 0 || rows === 'random') return [];
  const percent = Number(((100 * unused.reduce((sum, { weight }) => sum + weight, 0)) / total).toPrecision(3));
  const names = unused.map(({ name }) => `"${name}"`).join(', ');
  return [
    `rows of ${file.name} are dealt to all arrivals, and about ${percent} % of them send a request that uses no column (${names}): their rows are never sent`,
  ];
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
