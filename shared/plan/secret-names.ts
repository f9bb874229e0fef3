/**
 * Which names mean that their value is a secret: variables of the environment, headers and query keys (R106).
 * A name is enough to hide a value everywhere; a false alarm costs a readable report, a miss costs a key.
 */

/** Words that make a name secret when they stand alone between `_`, `-` or a change of case. */
const SECRET_WORDS = new Set([
  'key',
  'keys',
  'apikey',
  'token',
  'tokens',
  'secret',
  'secrets',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'credential',
  'credentials',
  'auth',
  'authorization',
  'bearer',
  'cookie',
  'session',
  'sig',
  'signature',
  'jwt',
]);

/**
 * True for names such as `API_KEY`, `x-api-key`, `Authorization`, `accessToken`; false for `MONKEY` or `author`.
 * One rule for variables, headers and query keys.
 */
export function isSecretName(name: string): boolean {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => SECRET_WORDS.has(word));
}
