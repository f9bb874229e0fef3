/** The words that the JSON Schema of `result.json` itself prescribes: never taken for a secret, whatever the secrets are. */
import { resultSchema } from './result-schema.ts';

/** All of them. */
export const ownWords: ReadonlySet<string> = new Set(wordsOf(resultSchema));

function wordsOf(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'const') return typeof value === 'string' ? [value] : [];
    if (key === 'enum' && Array.isArray(value)) return value.filter((word) => typeof word === 'string');
    return wordsOf(value);
  });
}
