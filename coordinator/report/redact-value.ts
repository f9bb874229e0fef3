/** Takes secrets out of every text of a value (R106). Numbers stay: a secret is never a count. */
import type { Redact } from '../../shared/plan/redact-secrets.ts';

/**
 * A copy of a JSON-like value with `redact` applied to each text in it. Texts that equal one of `ownWords` stay, so that a secret
 * that happens to be a word of ours (`timeout`, `finished`) does not break the shape of the value; so do the keys we chose, while
 * the keys of `labels`, which come from outside, are cleaned.
 */
export function redactValue<Value>(value: Value, redact: Redact, ownWords: ReadonlySet<string>): Value {
  return redactAny(value, redact, ownWords, false) as Value;
}

function redactAny(value: unknown, redact: Redact, ownWords: ReadonlySet<string>, cleanKeys: boolean): unknown {
  if (typeof value === 'string') return ownWords.has(value) ? value : redact(value);
  if (Array.isArray(value)) return value.map((item) => redactAny(item, redact, ownWords, false));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      cleanKeys ? redact(key) : key,
      redactAny(item, redact, ownWords, key === 'labels'),
    ]),
  );
}
