import { describe, expect, it } from 'vitest';
import { readJsonLines } from '../../../../shared/llm-workload/json-lines.ts';

describe('JSON lines', () => {
  it('skips blank lines and a byte-order mark, and names the line of a fault', () => {
    const lines = readJsonLines('\uFEFF{"a":1}\r\n\n{"a":"x"}\n', 'f.jsonl');
    expect(lines.map((line) => line.get('a'))).toEqual([1, 'x']);
    expect(() => lines[1]?.whole('a')).toThrow('f.jsonl: line 3: "a" is "x", expected a whole number of at least 0');
    expect(() => lines[0]?.whole('aa')).toThrow(/line 1: has no field "aa", did you mean "a"/);
    expect(() => lines[0]?.text('a')).toThrow(/"a" is not text/);
  });

  it('tells an instant as it is written, in lines and in their parts', () => {
    const [line] = readJsonLines('{"at":1700158623979960123,"turn":{"at":1700000000.000000123}}', 'f');
    expect(line?.numberText('at')).toBe('1700158623979960123');
    const turn = line?.part(line.get('turn') as Record<string, unknown>, 'turn 1');
    expect(turn?.numberText('at')).toBe('1700000000.000000123');
    expect(turn?.numberText('none')).toBeNull();
    expect(() => line?.numberText('turn')).toThrow(/"turn" is neither a number nor text/);
  });

  it('takes no member of every object for a field', () => {
    expect(readJsonLines('{"a":1}', 'f')[0]?.get('constructor')).toBeUndefined();
  });

  it.each(['[1]', '"x"', 'null', '{'])('refuses the line %s', (line) => {
    expect(() => readJsonLines(`{"a":1}\n${line}`, 'f.jsonl')).toThrow(/f\.jsonl: line 2/);
  });
});
