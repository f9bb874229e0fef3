/**
 * Secrets that a plan holds in clear: values of headers and query keys whose names say so (R106). Values that came from secret
 * variables are known already (`substitute-variables.ts`); these join them in `PlanBundle.secrets`.
 */

import { isSecretName, isSecretUnder } from './secret-names.ts';

/** Shortest value in clear that is hidden everywhere by value: shorter ones are ordinary words more often than keys. */
const CLEAR_SECRET_LENGTH_MIN = 8;

/** Secrets in a header's value: the whole, and what follows a scheme such as `Bearer`. */
export function secretsOfHeader(name: string, value: string): string[] {
  if (!isSecretName(name) || value.includes('{{')) return [];
  const afterScheme = /^[A-Za-z][A-Za-z0-9-]*\s+(\S.*)$/.exec(value)?.[1];
  // The whole would hide no more than its secret part does.
  return [afterScheme ?? value].filter((secret) => secret.length >= CLEAR_SECRET_LENGTH_MIN);
}

/** Secrets in a URL's query. */
export function secretsOfUrl(url: string): string[] {
  return [...queryMembers(url)]
    .filter(({ name, value }) => isSecretUnder(name, value) && !value.includes('{{'))
    .map(({ value }) => value)
    .filter((secret) => secret.length >= CLEAR_SECRET_LENGTH_MIN);
}

/** The URL with the values of secret query keys replaced by `replacement`. */
export function hideSecretsOfUrl(url: string, replacement: string): string {
  const hidden = [...queryMembers(url)].filter(({ name, value }) => isSecretUnder(name, value) && value !== '');
  let clean = url;
  for (const { start, value } of hidden.reverse()) {
    clean = `${clean.slice(0, start)}${replacement}${clean.slice(start + value.length)}`;
  }
  return clean;
}

/** Members `name=value` of a query, with the position of the value. */
function* queryMembers(
  url: string,
): Iterable<{ readonly name: string; readonly value: string; readonly start: number }> {
  const query = url.indexOf('?');
  if (query < 0) return;
  for (const match of url.slice(query).matchAll(/[?&;]([^=&;]*)=([^&;#]*)/g)) {
    const [whole, name = '', value = ''] = match;
    yield { name, value, start: query + match.index + whole.length - value.length };
  }
}
