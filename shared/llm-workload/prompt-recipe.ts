/**
 * Generated prompts travel as recipes, `KEY*TOKENS KEY*TOKENS ...`, and become words where they are sent: a trace of an hour would be a
 * gigabyte of text. A block's words follow from (salt, key) alone; a longer block of the same key begins with the shorter one's words, so
 * equal blocks at the start of two prompts are a shared prefix for any cache. The salt keeps runs apart (R055).
 */

import { FleetError } from '../fleet-error.ts';
import { philox4x32 } from '../random/philox.ts';
import { counterDomain, counterWord } from '../random/counter-domain.ts';
import { VOCABULARY } from './vocabulary.ts';
import type { PromptBlock } from './workload-row.ts';

/** Trial bits that no trial has: recipe words never share a counter with an arrival's content. */
const RECIPE_WORD = counterWord(counterDomain.content, 0xff_ffff);
/** Words kept for blocks that come again, in all: about 25 MB. */
const KEPT_WORDS_MAX = 4_000_000;
const BLOCK_TOKENS_MAX = 10_000_000;

/** Writes blocks as a recipe. */
export function formatRecipe(blocks: readonly PromptBlock[]): string {
  return blocks.map(({ key, tokens }) => `${key}*${tokens}`).join(' ');
}

/** Reads a recipe. @throws FleetError 'plan' for text that is none. */
export function parseRecipe(text: string): PromptBlock[] {
  if (text === '') return [];
  return text.split(' ').map((part) => {
    const star = part.lastIndexOf('*');
    const tokens = Number(part.slice(star + 1));
    if (star < 1 || !Number.isInteger(tokens) || tokens < 1 || tokens > BLOCK_TOKENS_MAX)
      throw new FleetError('plan', `"${part.slice(0, 60)}" is not a block of a prompt recipe (KEY*TOKENS)`);
    return { key: part.slice(0, star), tokens };
  });
}

/** The key of a block that one row alone has: its words are not kept. */
export function rowKey(row: number): string {
  return `r${row}`;
}

/** Words of a block with spaces between, as ASCII bytes: no JSON string needs them escaped. */
interface KeptBlock {
  readonly tokens: number;
  readonly bytes: Uint8Array;
}

/** Turns recipes into words. One per worker; blocks that several rows share are kept. */
export class RecipeWriter {
  readonly #salt: string;
  readonly #kept = new Map<string, KeptBlock>();
  #keptWords = 0;

  constructor(salt: string) {
    this.#salt = salt;
  }

  /** The prompt: as many words as the recipe has tokens, with spaces between. @throws FleetError 'plan'. */
  write(recipe: string): string {
    return asciiDecoder.decode(this.begin(recipe).finish());
  }

  /** The same, block by block. @throws FleetError 'plan'. */
  begin(recipe: string): PromptWriting {
    return new PromptWriting(parseRecipe(recipe), (block) => this.#bytesOf(block));
  }

  #bytesOf({ key, tokens }: PromptBlock): Uint8Array {
    if (key.startsWith('r')) return blockBytes(this.#salt, key, tokens);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.tokens >= tokens) return firstWords(kept, tokens);
    if (this.#keptWords + tokens > KEPT_WORDS_MAX) {
      this.#kept.clear();
      this.#keptWords = 0;
    }
    const bytes = blockBytes(this.#salt, key, tokens);
    this.#kept.set(key, { tokens, bytes });
    this.#keptWords += tokens;
    return bytes;
  }
}

/** One prompt on its way from a recipe to bytes. A block of 512 words takes some 0.05 ms. */
export class PromptWriting {
  readonly #blocks: readonly PromptBlock[];
  readonly #bytesOf: (block: PromptBlock) => Uint8Array;
  readonly #pieces: Uint8Array[] = [];

  constructor(blocks: readonly PromptBlock[], bytesOf: (block: PromptBlock) => Uint8Array) {
    this.#blocks = blocks;
    this.#bytesOf = bytesOf;
  }

  /** Writes one block; false when all were written before. */
  step(): boolean {
    const block = this.#blocks[this.#pieces.length];
    if (block === undefined) return false;
    this.#pieces.push(this.#bytesOf(block));
    return true;
  }

  /** The whole prompt. */
  finish(): Uint8Array {
    while (this.step());
    const pieces = this.#pieces;
    const length = pieces.reduce((sum, piece) => sum + piece.length, Math.max(0, pieces.length - 1));
    const whole = new Uint8Array(length).fill(SPACE);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length + 1;
    }
    return whole;
  }
}

const SPACE = 0x20;

function firstWords({ tokens, bytes }: KeptBlock, count: number): Uint8Array {
  if (count === tokens) return bytes;
  let end = -1;
  for (let word = 0; word < count; word += 1) end = bytes.indexOf(SPACE, end + 1);
  return bytes.subarray(0, end);
}

/** Each word with a space in front, as bytes. All are ASCII. */
const WORD_BYTES = VOCABULARY.map((word) => new TextEncoder().encode(` ${word}`));
const WORD_BYTES_MAX = Math.max(...WORD_BYTES.map(({ length }) => length));
const asciiDecoder = new TextDecoder();

/**
 * Word i is 16 bits of the generator that (salt, key) seeds: eight words a draw. Made of bytes: a string put together of ten thousand
 * words is ten thousand objects for the garbage collector, milliseconds on a worker's loop.
 */
function blockBytes(salt: string, key: string, tokens: number): Uint8Array {
  const low = hash(`${salt} ${key}`, 0x811c_9dc5);
  const high = hash(`${salt} ${key}`, 0x1234_567b);
  const drawn = new Uint32Array(4);
  const bytes = new Uint8Array(tokens * WORD_BYTES_MAX);
  let end = 0;
  for (let word = 0; word < tokens; word += 1) {
    const part = word & 7;
    if (part === 0) philox4x32(word >>> 3, 0, 0, RECIPE_WORD, low, high, drawn);
    const bits = ((drawn[part >> 1] as number) >>> ((part & 1) << 4)) & 0xffff;
    const wordBytes = WORD_BYTES[bits % VOCABULARY.length] as Uint8Array;
    for (let place = 0; place < wordBytes.length; place += 1) bytes[end + place] = wordBytes[place] as number;
    end += wordBytes.length;
  }
  // Without the space in front, and without the room that short words left.
  return bytes.slice(1, end);
}

/** FNV-1a over UTF-16 units, finished as MurmurHash3 does (both public domain): 32 bits from any text. */
function hash(text: string, basis: number): number {
  let value = basis;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x0100_0193);
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
