/**
 * Secrets that a plan holds in clear: values of headers, query keys and members of a body whose names say so (R106). Values that came from secret
 * variables are known already (`substitute-variables.ts`); these join them in `PlanBundle.secrets`.
 */

import type { RequestTemplate } from './plan.ts';
import { isSecretName, isSecretUnder } from './secret-names.ts';

/** Shortest value in clear that is hidden everywhere by value: shorter ones are ordinary words more often than keys. */
const CLEAR_SECRET_LENGTH_MIN = 8;

/** Secrets anywhere in a request. */
export function secretsOfRequest({ url, headers, body }: Pick<RequestTemplate, 'url' | 'headers' | 'body'>): string[] {
  return [
    ...secretsOfUrl(url),
    ...headers.flatMap(([name, value]) => secretsOfHeader(name, value)),
    ...(body.kind === 'text' ? secretsOfBody(body.text) : []),
  ];
}

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

/** A member of JSON that is text; templates may stand for other parts of the body, so it cannot be read as a whole. */
const TEXT_MEMBER = /"([^"\\]{1,200})"\s*:\s*"((?:[^"\\]|\\.)*)"/gs;
/** Names that in bodies are more often those of an entry or a cache than of a key: `prompt_cache_key`, `session_id`. */
const ORDINARY = /(?:^|[^a-z0-9])(?:keys?|session)(?:[^a-z0-9]|$)/;
const SECRET_KEY = /(?:api|access|secret|private)[^a-z0-9]?keys?/;

/** Secrets in a body: text members of JSON at any depth, or members of a form. */
export function secretsOfBody(text: string): string[] {
  if (/^[^\s"{[=&]+=[^\s"]*$/.test(text)) return secretsOfUrl(`?${text}`);
  return [...text.matchAll(TEXT_MEMBER)]
    .filter(([, name = '', value = '']) => isSecretMember(name, value) && !value.includes('{{'))
    .flatMap(([, , value = '']) => (value.includes('\\') ? [value, value.replace(/\\(.)/gs, '$1')] : [value]))
    .filter((secret) => secret.length >= CLEAR_SECRET_LENGTH_MIN);
}

function isSecretMember(name: string, value: string): boolean {
  const lower = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return isSecretUnder(name, value) && (!ORDINARY.test(lower) || SECRET_KEY.test(lower));
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
