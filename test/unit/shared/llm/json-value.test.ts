import { expect, it } from 'vitest';
import { asCount, asList, asObject, asText, joinedText, parseObject } from '../../../../shared/llm/json-value.ts';

it('members of any other type are as if they were not there', () => {
  expect([asObject([]), asObject(null), asText(''), asText(5), asCount(-1), asCount(1.5), asCount('1')]).toEqual(
    Array.from({ length: 7 }, () => null),
  );
  expect(asList({})).toEqual([]);
  expect([parseObject('{"a":1}'), parseObject('[1]'), parseObject('{')]).toEqual([{ a: 1 }, null, null]);
});

it('text may be a string, a list of strings or of parts', () => {
  expect(joinedText(['a', { text: 'b' }, { content: 'c' }, { reasoning: 'd' }, 7, { other: 'x' }])).toBe('abcd');
  expect([joinedText('x'), joinedText(null), joinedText({ text: 'no' })]).toEqual(['x', '', '']);
});
