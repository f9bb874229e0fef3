import { describe, expect, it } from 'vitest';
import { formOf } from '../../../../shared/llm/answer-form.ts';

const BOM = '\ufeff';

describe('formOf', () => {
  it.each([
    ['{"id":1}', 'body'],
    ['[{"error":{}}]', 'body'],
    [`${BOM} \r\n\t{`, 'body'],
    ['data: {"id":1}', 'events'],
    [`${BOM}data: x`, 'events'],
    [': a comment', 'events'],
    ['<html>', 'events'],
    ['', 'undecided'],
    [' \r\n', 'undecided'],
    [BOM, 'undecided'],
  ])('R043 tells %j to be %s', (text, form) => {
    expect(formOf(new TextEncoder().encode(text))).toBe(form);
  });
});
