/**
 * The plan for the result, without what stands in it under a name that says secret (R106): headers, query keys, a proxy's password. Secrets are taken out of
 * the whole result by value; one that is too short to be looked for everywhere still must not stand behind its own name.
 */
import { hideSecretsOfUrl } from '../../shared/plan/find-secrets.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { withoutPassword } from '../../shared/plan/proxy-setting.ts';
import { REDACTED } from '../../shared/plan/redact-secrets.ts';
import { isSecretName } from '../../shared/plan/secret-names.ts';

/** A copy of `plan` that can be shown and not be run. */
export function hideNamedSecrets(plan: Plan): Plan {
  return {
    ...plan,
    target: { ...plan.target, proxy: withoutPassword(plan.target.proxy) },
    requests: plan.requests.map((request) => ({
      ...request,
      url: hideSecretsOfUrl(request.url, REDACTED),
      headers: request.headers.map(([name, value]) => [name, isSecretName(name) ? REDACTED : value] as const),
    })),
    scrapes: plan.scrapes.map((scrape) => ({ ...scrape, url: hideSecretsOfUrl(scrape.url, REDACTED) })),
  };
}
