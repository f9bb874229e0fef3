/** A header block as a test looks at it: what an HPACK decoder made of it. */
import type { HpackDecoder } from '../../agent/client/hpack/hpack-decoder.ts';

/** Fields in order, and why the block was refused. */
export interface DecodedBlock {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly refusal: string | null;
}

/** Decodes all of `block`. */
export function decodedBlock(decoder: HpackDecoder, block: Uint8Array): DecodedBlock {
  const fields: [name: string, value: string][] = [];
  const refusal = decoder.decode(block, 0, block.length, (name, value) => fields.push([name, value]));
  return { fields, refusal };
}

/** Decodes a block that must not be refused; gives `name: value` for each field. */
export function fieldLines(decoder: HpackDecoder, block: Uint8Array): readonly string[] {
  const { fields, refusal } = decodedBlock(decoder, block);
  if (refusal !== null) throw new Error(`block refused: ${refusal}`);
  return fields.map(([name, value]) => `${name}: ${value}`);
}
