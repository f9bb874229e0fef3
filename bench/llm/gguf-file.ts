/**
 * Writes a GGUF file (version 3), the model format of llama.cpp: magic, counts, named values, names and shapes of the tensors, then
 * their data, each at a multiple of 32 bytes. Only what `random-model.ts` needs of it: 32-bit numbers, texts and lists of them.
 */

import { assertNever } from '../../shared/assert-never.ts';

/** A named value of the file's head. */
export type GgufValue =
  | { readonly kind: 'uint32' | 'float32'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'texts'; readonly value: readonly string[] }
  | { readonly kind: 'float32s' | 'int32s'; readonly value: readonly number[] };

/** A tensor of 32-bit floats. `shape` begins with the length of a row, as ggml counts. */
export interface GgufTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Numbers of the format's types. */
const TYPE = { uint32: 4, int32: 5, float32: 6, bool: 7, text: 8, list: 9 } as const;
const VERSION = 3;
const ALIGNMENT = 32;

/** The whole file. */
export function ggufFile(values: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Uint8Array {
  const head = new ByteWriter();
  head.bytes(new TextEncoder().encode('GGUF'));
  head.uint32(VERSION);
  head.uint64(tensors.length);
  head.uint64(Object.keys(values).length);
  for (const [name, value] of Object.entries(values)) {
    head.text(name);
    writeValue(head, value);
  }
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    head.text(name);
    head.uint32(shape.length);
    for (const size of shape) head.uint64(size);
    // The type of 32-bit floats.
    head.uint32(0);
    head.uint64(offset);
    offset = aligned(offset + data.byteLength);
  }
  const headBytes = head.whole();
  const dataFrom = aligned(headBytes.length);
  const file = new Uint8Array(dataFrom + offset);
  file.set(headBytes);
  let at = dataFrom;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at = aligned(at + data.byteLength);
  }
  return file;
}

function writeValue(head: ByteWriter, item: GgufValue): void {
  switch (item.kind) {
    case 'uint32':
      head.uint32(TYPE.uint32);
      head.uint32(item.value);
      return;
    case 'float32':
      head.uint32(TYPE.float32);
      head.float32(item.value);
      return;
    case 'bool':
      head.uint32(TYPE.bool);
      head.bytes(Uint8Array.of(item.value ? 1 : 0));
      return;
    case 'text':
      head.uint32(TYPE.text);
      head.text(item.value);
      return;
    case 'texts':
      writeListHead(head, TYPE.text, item.value.length);
      for (const text of item.value) head.text(text);
      return;
    case 'float32s':
      writeListHead(head, TYPE.float32, item.value.length);
      for (const value of item.value) head.float32(value);
      return;
    case 'int32s':
      writeListHead(head, TYPE.int32, item.value.length);
      for (const value of item.value) head.uint32(value);
      return;
    default:
      assertNever(item);
  }
}

function writeListHead(head: ByteWriter, type: number, length: number): void {
  head.uint32(TYPE.list);
  head.uint32(type);
  head.uint64(length);
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/** Little-endian bytes, one piece after the other. */
class ByteWriter {
  readonly #pieces: Uint8Array[] = [];

  bytes(piece: Uint8Array): void {
    this.#pieces.push(piece);
  }

  uint32(value: number): void {
    this.#number(4, (view) => view.setUint32(0, value, true));
  }

  uint64(value: number): void {
    this.#number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  }

  float32(value: number): void {
    this.#number(4, (view) => view.setFloat32(0, value, true));
  }

  text(value: string): void {
    const piece = new TextEncoder().encode(value);
    this.uint64(piece.length);
    this.bytes(piece);
  }

  whole(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  #number(size: number, write: (view: DataView) => void): void {
    const piece = new Uint8Array(size);
    write(new DataView(piece.buffer));
    this.bytes(piece);
  }
}
