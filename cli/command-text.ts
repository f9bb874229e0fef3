/** The command line as one text for the report, without its secrets. */

import { hideSecretsOfUrl } from '../shared/plan/find-secrets.ts';
import { createRedactor, REDACTED } from '../shared/plan/redact-secrets.ts';
import { isSecretName } from '../shared/plan/secret-names.ts';

/** `loadfleet` and its arguments, quoted where a shell needs it, secrets redacted by value and by header and query name. */
export function commandText(args: readonly string[], secrets: readonly string[]): string {
  const redact = createRedactor(secrets);
  return [
    'loadfleet',
    ...args.map((arg) => quotedForShell(redact(hideSecretsOfUrl(hideHeaderValue(arg), REDACTED)))),
  ].join(' ');
}

/** `Authorization: Bearer x` and `--header=Authorization: Bearer x` without their values. */
function hideHeaderValue(arg: string): string {
  const [, start, name] = /^((?:--header=)?([A-Za-z0-9-]+):)/.exec(arg) ?? [];
  return start !== undefined && name !== undefined && isSecretName(name) ? `${start} ${REDACTED}` : arg;
}

function quotedForShell(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
