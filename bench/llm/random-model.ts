/**
 * A model of random weights for llama.cpp: a real server with it has real queues, batches and caches, and answers without sense for
 * little arithmetic. Its vocabulary has the words of generated prompts, so that the server counts a token a word.
 * Use it to try a harness where no model can be downloaded; it says nothing about the speed of any model.
 */
import { philox4x32 } from '../../shared/random/philox.ts';
import { VOCABULARY } from '../../shared/llm-workload/vocabulary.ts';
import { ggufFile, type GgufTensor, type GgufValue } from './gguf-file.ts';

/** Longest prompt and answer together, tokens: above the longest of the Azure traces. */
const CONTEXT = 32_768;
const LAYERS = 1;
const WIDTH = 32;
const HEADS = 1;
const INNER_WIDTH = 64;

/** How SentencePiece writes a space inside a token. */
const SPACE = '\u2581';

/** Kinds of tokens, as the format numbers them. */
const TOKEN_KIND = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

interface Token {
  readonly text: string;
  readonly kind: number;
}

/**
 * Control tokens, the 256 bytes, and every beginning of every word: a SentencePiece vocabulary merges from left to right through them,
 * and no piece inside a word is a token that could be merged first. So each word with its space is one token.
 */
export function tokens(): readonly Token[] {
  const control = (text: string): Token => ({ text, kind: TOKEN_KIND.control });
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    kind: TOKEN_KIND.byte,
  }));
  const beginnings = new Set([SPACE]);
  for (const word of VOCABULARY)
    for (let end = 1; end <= word.length; end += 1) beginnings.add(`${SPACE}${word.slice(0, end)}`);
  return [
    { text: '<unk>', kind: TOKEN_KIND.unknown },
    control('<s>'),
    control('</s>'),
    control('<|im_start|>'),
    control('<|im_end|>'),
    ...bytes,
    ...[...beginnings].map((text) => ({ text, kind: TOKEN_KIND.normal })),
  ];
}

/** The model as a GGUF file, always the same bytes: about half a megabyte. One narrow layer, since attention over long prompts is what costs. */
export function randomModel(): Uint8Array {
  const vocabulary = tokens();
  const uint32 = (value: number): GgufValue => ({ kind: 'uint32', value });
  const values: Readonly<Record<string, GgufValue>> = {
    'general.architecture': { kind: 'text', value: 'llama' },
    'general.name': { kind: 'text', value: 'random weights' },
    'llama.context_length': uint32(CONTEXT),
    'llama.embedding_length': uint32(WIDTH),
    'llama.block_count': uint32(LAYERS),
    'llama.feed_forward_length': uint32(INNER_WIDTH),
    'llama.attention.head_count': uint32(HEADS),
    'llama.attention.head_count_kv': uint32(HEADS),
    'llama.attention.layer_norm_rms_epsilon': { kind: 'float32', value: 1e-5 },
    'llama.rope.dimension_count': uint32(WIDTH / HEADS),
    'tokenizer.ggml.model': { kind: 'text', value: 'llama' },
    'tokenizer.ggml.tokens': { kind: 'texts', value: vocabulary.map(({ text }) => text) },
    'tokenizer.ggml.scores': { kind: 'float32s', value: vocabulary.map(() => 0) },
    'tokenizer.ggml.token_type': { kind: 'int32s', value: vocabulary.map(({ kind }) => kind) },
    'tokenizer.ggml.unknown_token_id': uint32(0),
    'tokenizer.ggml.bos_token_id': uint32(1),
    'tokenizer.ggml.eos_token_id': uint32(2),
    'tokenizer.ggml.eot_token_id': uint32(4),
    'tokenizer.ggml.add_bos_token': { kind: 'bool', value: false },
    'tokenizer.ggml.add_space_prefix': { kind: 'bool', value: true },
  };
  return ggufFile(values, tensors(vocabulary.length));
}

function tensors(vocabularySize: number): readonly GgufTensor[] {
  let stream = 0;
  // A row's sum of squares is about 1, so that no layer's output grows or fades.
  const matrix = (name: string, rowLength: number, rows: number, scale = 1): GgufTensor => {
    stream += 1;
    const data = uniform(rowLength * rows, stream, scale * Math.sqrt(3 / rowLength));
    return { name: `${name}.weight`, shape: [rowLength, rows], data };
  };
  const ones = (name: string): GgufTensor => ({
    name: `${name}.weight`,
    shape: [WIDTH],
    data: new Float32Array(WIDTH).fill(1),
  });
  const layer = (index: number): readonly GgufTensor[] => {
    const name = (part: string): string => `blk.${index}.${part}`;
    return [
      ones(name('attn_norm')),
      matrix(name('attn_q'), WIDTH, WIDTH),
      matrix(name('attn_k'), WIDTH, WIDTH),
      matrix(name('attn_v'), WIDTH, WIDTH),
      matrix(name('attn_output'), WIDTH, WIDTH),
      ones(name('ffn_norm')),
      matrix(name('ffn_gate'), WIDTH, INNER_WIDTH),
      matrix(name('ffn_up'), WIDTH, INNER_WIDTH),
      matrix(name('ffn_down'), INNER_WIDTH, WIDTH),
    ];
  };
  return [
    matrix('token_embd', WIDTH, vocabularySize, Math.sqrt(WIDTH)),
    ...Array.from({ length: LAYERS }, (_, index) => layer(index)).flat(),
    ones('output_norm'),
    matrix('output', WIDTH, vocabularySize),
  ];
}

/** Numbers between -bound and bound; each tensor has a stream of its own. */
function uniform(length: number, stream: number, bound: number): Float32Array {
  const data = new Float32Array(length);
  const drawn = new Uint32Array(4);
  for (let index = 0; index < length; index += 1) {
    if (index % 4 === 0) philox4x32(index / 4, stream, 0, 0, 1, 0, drawn);
    data[index] = ((drawn[index % 4] as number) / 2 ** 31 - 1) * bound;
  }
  return data;
}
