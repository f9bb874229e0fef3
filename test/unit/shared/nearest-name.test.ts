import { expect, it } from 'vitest';
import { knownNamesHint, nearestName } from '../../../shared/nearest-name.ts';

it.each([
  ['threshholds', ['thresholds', 'timeout'], 'thresholds'],
  ['Stall', ['stall', 'status'], 'stall'],
  ['slow_body', ['slow-body', 'reset'], 'slow-body'],
  ['tiemout', ['timeout', 'target'], 'timeout'],
  ['nmae', ['name', 'seed'], 'name'],
  ['sta', ['stall', 'reset'], null],
  ['zzz', ['stall', 'reset'], null],
  ['anything', [], null],
])('R089 the nearest of %j is found', (name, validNames, nearest) => {
  expect(nearestName(name, validNames)).toBe(nearest);
});

it('R089 the hint names the nearest and all valid names', () => {
  expect(knownNamesHint('resett', ['stall', 'reset'])).toBe(', did you mean "reset"? (known: stall, reset)');
  expect(knownNamesHint('qqq', ['stall', 'reset'])).toBe(' (known: stall, reset)');
});
