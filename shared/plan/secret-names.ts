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
  'pass',
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

/** Ends of words that are written in one, such as `accesstoken`, `PGPASSWORD`, `JSESSIONID`. */
const SECRET_END =
  /(?:token|password|passwd|passphrase|secret|(?:api|access|secret|private)keys?|credentials?|cookie|sessionid|sessid)$/;

/** Words that also count things: `MAX_TOKENS`, `NUM_KEYS`. */
const COUNTED_WORDS = new Set(['keys', 'tokens']);

/**
 * True for names such as `API_KEY`, `x-api-key`, `Authorization`, `accessToken`, `authtoken`; false for `MONKEY` or `author`.
 * One rule for variables, headers and query keys.
 */
export function isSecretName(name: string): boolean {
  return secretWordsOf(name).length > 0;
}

/** Whether `value` under this name is a secret: a short number of tokens or keys is a count. */
export function isSecretUnder(name: string, value: string): boolean {
  const words = secretWordsOf(name);
  return words.length > 0 && !(/^[0-9]{1,9}$/.test(value) && words.every((word) => COUNTED_WORDS.has(word)));
}

function secretWordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => SECRET_WORDS.has(word) || SECRET_END.test(word));
}
