/** Takes secrets out of every text of a value, keys included (R106). Numbers stay: a secret is never a count. */
import type { Redact } from '../../shared/plan/redact-secrets.ts';

/** A copy of a JSON-like value with `redact` applied to each text in it. */
export function redactValue<Value>(value: Value, redact: Redact): Value {
  return redactAny(value, redact) as Value;
}

function redactAny(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactAny(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactAny(item, redact)]));
}
