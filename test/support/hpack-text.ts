/** Integers and texts of HPACK (RFC 7541 §5) as tests write them, as latin1: one character an octet. */

/** An integer behind the bits `kind` of its first octet, of which it gets the last `prefixBits` (RFC 7541 §5.1). */
export function hpackInteger(kind: number, prefixBits: number, value: number): string {
  const prefixMax = 2 ** prefixBits - 1;
  if (value < prefixMax) return String.fromCharCode(kind | value);
  let text = String.fromCharCode(kind | prefixMax);
  let rest = value - prefixMax;
  for (; rest >= 128; rest = Math.floor(rest / 128)) text += String.fromCharCode(128 | (rest % 128));
  return text + String.fromCharCode(rest);
}

/** A string literal without Huffman code (RFC 7541 §5.2). */
export function plainText(text: string): string {
  return hpackInteger(0, 7, text.length) + text;
}

/** A literal field without indexing (RFC 7541 §6.2.2), its texts plain: it leaves the dynamic table alone. */
export function literalField(name: string, value: string): string {
  return `\0${plainText(name)}${plainText(value)}`;
}
