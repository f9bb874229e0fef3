/**
 * Finds the valid name that a misspelt one most likely meant, for the errors on unknown keys, flags and kinds (R089).
 * The only file that sees the edit-distance library. Not for deciding anything: a wrong name stays an error.
 */

import { closest, distance } from 'fastest-levenshtein';

/**
 * The name nearest to `name`, or null when none is near: more than a third of the longer one's letters would have to change.
 * Upper and lower case and `_`, `-` count as alike.
 */
export function nearestName(name: string, validNames: readonly string[]): string | null {
  if (validNames.length === 0) return null;
  const plain = plainForm(name);
  const best = closest(plain, validNames.map(plainForm));
  const place = validNames.findIndex((valid) => plainForm(valid) === best);
  const limit = Math.max(1, Math.floor(Math.max(plain.length, best.length) / 3));
  return distance(plain, best) <= limit ? (validNames[place] ?? null) : null;
}

/** The end of an error on an unknown name: `, did you mean "x"? (known: x, y, z)`. */
export function knownNamesHint(name: string, validNames: readonly string[]): string {
  const nearest = nearestName(name, validNames);
  const meant = nearest === null ? '' : `, did you mean "${nearest}"?`;
  return `${meant} (known: ${validNames.join(', ')})`;
}

function plainForm(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
