/** Reading members of JSON that a server sent: any of them may be missing or of another type, and none of that throws. */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** `data` as a JSON object, or null when it is none. */
export function parseObject(data: string): JsonObject | null {
  return asObject(parseJson(data));
}

/** The value of JSON text; null when it is none. */
export function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    // Not JSON: the caller counts it.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A value that was read from JSON, as JSON again; one that is nested too deeply to be written is named as such. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Reading is not bounded by the stack, writing may be.
    if (error instanceof RangeError) return '(nested too deeply)';
    throw error;
  }
}

/** `value` where it is an object and no list, else null. */
export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** `value` where it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** `value` where it is a text that is not empty, else null. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** `value` where it is a whole number of things, else null. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/**
 * Text given as a string or as a list of strings and parts with a `text`, `content`, `reasoning`, `summary` or `refusal` member (R040);
 * '' where there is none.
 */
export function joinedText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  let text = '';
  for (const part of value as readonly unknown[]) {
    if (typeof part === 'string') text += part;
    else {
      const object = asObject(part);
      if (object === null) continue;
      text +=
        asText(object['text']) ??
        asText(object['content']) ??
        asText(object['reasoning']) ??
        asText(object['summary']) ??
        asText(object['refusal']) ??
        '';
    }
  }
  return text;
}
