/**
 * Finds the valid name that a misspelt one most likely meant, for the errors on unknown keys, flags and kinds (R089).
 * The only file that sees the edit-distance library. Not for deciding anything: a wrong name stays an error.
 */

import { distance } from 'fastest-levenshtein';

/** Longest list of valid names that is shown although the nearest is found. */
const KNOWN_SHOWN_MAX = 16;

/**
 * The name nearest to `name`, or null when none is near: more than a third of the longer one's letters would have to change.
 * Upper and lower case and `_`, `-` count as alike.
 */
export function nearestName(name: string, validNames: readonly string[]): string | null {
  const plain = plainForm(name);
  let nearest: string | null = null;
  let leastSteps = Infinity;
  for (const valid of validNames) {
    const validPlain = plainForm(valid);
    const steps = stepsBetween(plain, validPlain);
    const limit = Math.max(1, Math.floor(Math.max(plain.length, validPlain.length) / 3));
    if (steps > limit || steps >= leastSteps) continue;
    nearest = valid;
    leastSteps = steps;
  }
  return nearest;
}

/** The end of an error on an unknown name: `, did you mean "x"? (known: x, y, z)`. */
export function knownNamesHint(name: string, validNames: readonly string[]): string {
  const nearest = nearestName(name, validNames);
  const meant = nearest === null ? '' : `, did you mean "${nearest}"?`;
  const isShown = nearest === null || validNames.length <= KNOWN_SHOWN_MAX;
  return isShown ? `${meant} (known: ${validNames.join(', ')})` : meant;
}

function plainForm(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** Letters to change, add or take away; two neighbours in the wrong order count as one step. */
function stepsBetween(name: string, valid: string): number {
  const steps = distance(name, valid);
  if (steps !== 2 || name.length !== valid.length) return steps;
  for (let at = 0; at + 1 < name.length; at += 1) {
    const swapped = name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2);
    if (swapped === valid) return 1;
  }
  return steps;
}
