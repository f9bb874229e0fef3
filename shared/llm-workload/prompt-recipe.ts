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
/** Words kept for blocks that come again, in all: about 30 MB. */
const CACHED_WORDS_MAX = 4_000_000;
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

/** Turns recipes into text. One per worker; blocks that come again are kept. */
export class RecipeWriter {
  readonly #salt: string;
  readonly #words = new Map<string, readonly string[]>();
  #cachedWords = 0;

  constructor(salt: string) {
    this.#salt = salt;
  }

  /** The prompt: as many words as the recipe has tokens, with spaces between. @throws FleetError 'plan'. */
  write(recipe: string): string {
    return parseRecipe(recipe)
      .map((block) => this.#wordsOf(block).join(' '))
      .join(' ');
  }

  #wordsOf({ key, tokens }: PromptBlock): readonly string[] {
    const kept = this.#words.get(key) ?? [];
    if (kept.length === tokens) return kept;
    if (kept.length > tokens) return kept.slice(0, tokens);
    if (this.#cachedWords + tokens > CACHED_WORDS_MAX) {
      this.#words.clear();
      this.#cachedWords = 0;
    }
    const words = blockWords(this.#salt, key, tokens);
    this.#words.set(key, words);
    this.#cachedWords += tokens;
    return words;
  }
}

/** Word i is draw i of the generator that (salt, key) seeds. */
function blockWords(salt: string, key: string, tokens: number): string[] {
  const low = hash(`${salt} ${key}`, 0x811c_9dc5);
  const high = hash(`${salt} ${key}`, 0x1234_567b);
  const drawn = new Uint32Array(4);
  const words: string[] = [];
  for (let draw = 0; words.length < tokens; draw += 1) {
    philox4x32(draw, 0, 0, RECIPE_WORD, low, high, drawn);
    for (let part = 0; part < 4 && words.length < tokens; part += 1)
      words.push(VOCABULARY[(drawn[part] as number) % VOCABULARY.length] as string);
  }
  return words;
}

/** FNV-1a over UTF-16 units, finished as MurmurHash3 does (both public domain): 32 bits from any text. */
function hash(text: string, basis: number): number {
  let value = basis;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x0100_0193);
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
