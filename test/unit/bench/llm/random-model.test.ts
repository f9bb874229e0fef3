import { describe, expect, it } from 'vitest';
import { randomModel, tokens } from '../../../../bench/llm/random-model.ts';
import { VOCABULARY } from '../../../../shared/llm-workload/vocabulary.ts';

/** Merges as SentencePiece does: of all neighbours that make a token together, the leftmost, until none does. */
function merged(text: string, known: ReadonlySet<string>): string[] {
  const pieces = `\u2581${text.replaceAll(' ', '\u2581')}`.split('');
  for (;;) {
    const at = pieces.findIndex((piece, index) => known.has(piece + (pieces[index + 1] ?? '\0')));
    if (at < 0) return pieces;
    pieces.splice(at, 2, `${pieces[at]}${pieces[at + 1]}`);
  }
}

describe('the model of random weights', () => {
  it('has each word of a generated prompt as one token', () => {
    const known = new Set(tokens().map(({ text }) => text));
    expect(known.size).toBe(tokens().length);
    for (const word of VOCABULARY) expect(merged(word, known), word).toEqual([`\u2581${word}`]);
    expect(merged('plan plants plant', known)).toEqual(['\u2581plan', '\u2581plant', 's', '\u2581plant']);
  });

  it('is a GGUF file whose tensors fill it to the end', () => {
    const file = randomModel();
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    expect(new TextDecoder().decode(file.subarray(0, 4))).toBe('GGUF');
    expect(view.getUint32(4, true)).toBe(3);
    const tensors = readTensors(view);
    expect(tensors.map(({ name }) => name)).toContain('blk.0.ffn_down.weight');
    for (const { offset } of tensors) expect(offset % 32).toBe(0);
    const last = tensors.at(-1);
    const dataFrom = Math.ceil(headLength(view) / 32) * 32;
    expect(dataFrom + (last?.offset ?? 0) + (last?.bytes ?? 0)).toBeLessThanOrEqual(file.length);
    expect(file.length - dataFrom - (last?.offset ?? 0) - (last?.bytes ?? 0)).toBeLessThan(32);
  });
});

/** A reader of the head written from the description of the format: positions and names of the tensors, and where the head ends. */
function readHead(view: DataView): { tensors: { name: string; offset: number; bytes: number }[]; end: number } {
  let at = 8;
  const uint32 = (): number => view.getUint32((at += 4) - 4, true);
  const uint64 = (): number => Number(view.getBigUint64((at += 8) - 8, true));
  const text = (): string => {
    const length = uint64();
    at += length;
    return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at - length, length));
  };
  const value = (type: number): void => {
    if (type === 8) text();
    else if (type === 9) {
      const inner = uint32();
      for (let left = uint64(); left > 0; left -= 1) value(inner);
    } else at += type === 7 ? 1 : 4;
  };
  const tensorCount = uint64();
  for (let left = uint64(); left > 0; left -= 1) {
    text();
    value(uint32());
  }
  const tensors = Array.from({ length: tensorCount }, () => {
    const name = text();
    const shape = Array.from({ length: uint32() }, () => uint64());
    expect(uint32()).toBe(0);
    return { name, offset: uint64(), bytes: 4 * shape.reduce((product, size) => product * size, 1) };
  });
  return { tensors, end: at };
}

const readTensors = (view: DataView) => readHead(view).tensors;
const headLength = (view: DataView) => readHead(view).end;
