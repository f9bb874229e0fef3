import { describe, expect, it } from 'vitest';
import { parseExactJson, parseForWriting } from '../../../shared/exact-json.ts';

describe('JSON with its numbers as they are written', () => {
  it.each([
    '1700158623979960123',
    '1700000000.000000123',
    '0.1234567890123456789',
    '-17000000000000000001e-7',
    '5',
    '0.1',
  ])('%s', (text) => {
    const { value, numberText } = parseExactJson(`{"at": ${text}, "other": 123456789012345678}`);
    expect(numberText(value as object, 'at')).toBe(text);
    expect((value as Record<string, unknown>)['at']).toBe(Number(text));
  });

  it('tells objects of one text apart, and takes the last of two members with one name', () => {
    const text =
      '{"at": 1700158623979960123, "in": {"at": 1700158623979960124}, "list": [{"at": 1700158623979960125}]}';
    const { value, numberText } = parseExactJson(text);
    const outer = value as { in: object; list: object[] };
    expect([outer, outer.in, outer.list[0]!].map((holder) => numberText(holder, 'at'))).toEqual([
      '1700158623979960123',
      '1700158623979960124',
      '1700158623979960125',
    ]);
    const twice = parseExactJson('{"at": 1700158623979960123, "at": 5}');
    expect(twice.numberText(twice.value as object, 'at')).toBe('5');
  });

  it('has no text of what is no number or not there', () => {
    const { value, numberText } = parseExactJson(
      '{"text": "1700158623979960123", "none": null, "long": 17001586239799601230}',
    );
    for (const name of ['text', 'none', 'absent', 'toString']) expect(numberText(value as object, name)).toBeNull();
  });

  it('throws for what is no JSON', () => {
    for (const text of ['', '{oops', '1700158623979960123456x'])
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});

describe('JSON that is written again', () => {
  it.each([
    '{"seed":12345678901234567890,"deep":[{"at":1700000000.000000123}],"few":0.5,"text":"123456789012345678"}',
    '{"a":1,"b":[true,null,"x"]}',
    '[-17000000000000000001e-7]',
  ])('has its numbers as they were: %s', (text) => {
    expect(JSON.stringify(parseForWriting(text))).toBe(text);
  });

  it('is no JSON: a SyntaxError', () => {
    expect(() => parseForWriting('{"a": 1700158623979960123,}')).toThrow(SyntaxError);
  });
});
