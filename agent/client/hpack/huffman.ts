/**
 * Decodes the Huffman code of HPACK (RFC 7541 §5.2, appendix B). The code is canonical: shorter codes first, equal lengths in the order of
 * the symbols, each code the one before plus one. So the 257 lengths say all of it, and the tree is rebuilt from them at load. Decoding
 * walks a table of four bits a step, made from that tree. There is no encoder: what we send is short, and plain text costs the server less.
 */

/** Bits of the code of each octet; the last is EOS, which no text may hold. */
const CODE_BITS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
];

const EOS = 256;
/** Inner nodes of the tree; node 0 is the root. A full tree of 257 leaves has one less. */
const NODES = 256;
/** Padding is the beginning of EOS, and at most this long. */
const PADDING_BITS_MAX = 7;

/** The two children of node n at 2n and 2n + 1: a node's number, or -1 - symbol for a leaf. */
function buildTree(): Int16Array {
  const children = new Int16Array(2 * NODES);
  const symbols = [...CODE_BITS.keys()].sort((a, b) => bitsOf(a) - bitsOf(b) || a - b);
  let code = 0;
  let bits = 0;
  let nodes = 1;
  for (const symbol of symbols) {
    code <<= bitsOf(symbol) - bits;
    bits = bitsOf(symbol);
    let node = 0;
    for (let bit = bits - 1; bit > 0; bit -= 1) {
      const edge = 2 * node + ((code >>> bit) & 1);
      // The root is nobody's child: 0 is an edge that leads nowhere yet.
      if (children[edge] === 0) {
        children[edge] = nodes;
        nodes += 1;
      }
      node = children[edge] as number;
    }
    children[2 * node + (code & 1)] = -1 - symbol;
    code += 1;
  }
  return children;
}

function bitsOf(symbol: number): number {
  return CODE_BITS[symbol] as number;
}

/**
 * In a step: the next node in bits 0-7, the octet in bits 8-15, then these flags. No code is shorter than five bits, so that a step gives
 * one octet at most.
 */
const GIVES_OCTET = 0x1_0000;
const REFUSED = 0x2_0000;

/** The step from each node with each four bits, at 16 * node + bits. */
function buildSteps(children: Int16Array): Uint32Array {
  const steps = new Uint32Array(16 * NODES);
  for (let index = 0; index < steps.length; index += 1) {
    let node = index >>> 4;
    let given = 0;
    for (let bit = 3; bit >= 0; bit -= 1) {
      const child = children[2 * node + ((index >>> bit) & 1)] as number;
      node = Math.max(child, 0);
      if (child < 0) given = -1 - child === EOS ? REFUSED : GIVES_OCTET | ((-1 - child) << 8);
      if (given === REFUSED) break;
    }
    steps[index] = given | node;
  }
  return steps;
}

/** 1 for the nodes at which a text may end: the root, and what up to seven ones lead to. */
function buildEnds(children: Int16Array): Uint8Array {
  const ends = new Uint8Array(NODES);
  let node = 0;
  for (let bits = 0; bits <= PADDING_BITS_MAX; bits += 1) {
    ends[node] = 1;
    node = children[2 * node + 1] as number;
  }
  return ends;
}

const TREE = buildTree();
const STEPS = buildSteps(TREE);
const ENDS = buildEnds(TREE);

let octets = Buffer.alloc(256);

/**
 * The text of `bytes[from, to)`, one character an octet (latin1). Null when the bytes are no text: padding that is longer than seven bits
 * or not the beginning of EOS, or EOS itself inside.
 */
export function decodeHuffman(bytes: Uint8Array, from: number, to: number): string | null {
  if (2 * (to - from) > octets.length) octets = Buffer.alloc(4 * (to - from));
  const into = octets;
  let length = 0;
  let node = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    const high = STEPS[(node << 4) | (byte >>> 4)] as number;
    if (high >= GIVES_OCTET) {
      if (high >= REFUSED) return null;
      into[length] = high >>> 8;
      length += 1;
    }
    const low = STEPS[((high & 0xff) << 4) | (byte & 0x0f)] as number;
    if (low >= GIVES_OCTET) {
      if (low >= REFUSED) return null;
      into[length] = low >>> 8;
      length += 1;
    }
    node = low & 0xff;
  }
  return ENDS[node] === 1 ? into.toString('latin1', 0, length) : null;
}
