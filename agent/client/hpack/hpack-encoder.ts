/**
 * Writes header fields as HPACK (RFC 7541) that any connection can send at any time: references to the static table and literals that
 * nobody adds to a table. No state is shared with the server, so a request is rendered once for all connections. Texts go out plain,
 * without Huffman.
 */
import { isSecretName } from '../../../shared/plan/secret-names.ts';
import { STATIC_TABLE } from './hpack-static-table.ts';

/** What is known of a field by its name alone. */
interface FieldName {
  /** Index of the field in the static table, by value; empty for secrets, which are always written out. */
  readonly indexOfValue: ReadonlyMap<string, number>;
  /** A literal of this name, up to its value (RFC 7541 §6.2.2, §6.2.3). */
  readonly literal: Buffer;
}

const INDEXED = 0x80;
const NEVER_INDEXED = 0x10;
const NOT_INDEXED = 0x00;
const PLAIN_TEXT = 0x00;

/** A plan has few names; should it make them up, they are not all kept. */
const NAMES_KEPT_MAX = 256;

const NO_VALUES: ReadonlyMap<string, number> = new Map();
const STATIC_FIELDS = new Map<string, Map<string, number>>();
for (const [at, [name, value]] of STATIC_TABLE.entries()) {
  const values = STATIC_FIELDS.get(name) ?? new Map<string, number>();
  STATIC_FIELDS.set(name, values.set(value, at + 1));
}

const names = new Map<string, FieldName>();

/**
 * One field. `name` in lower case, as HTTP/2 wants it; both texts latin1, one character an octet. A name that means a secret (R106) makes
 * a literal that proxies must not index either (RFC 7541 §7.1.3).
 */
export function encodeField(name: string, value: string): Buffer {
  const { indexOfValue, literal } = knownName(name);
  const index = indexOfValue.get(value);
  if (index !== undefined) return Buffer.from(integer(INDEXED, 7, index));
  const length = integer(PLAIN_TEXT, 7, value.length);
  const field = Buffer.allocUnsafe(literal.length + length.length + value.length);
  field.set(literal, 0);
  field.set(length, literal.length);
  field.write(value, literal.length + length.length, 'latin1');
  return field;
}

/** The fields one after the other: a header block, or a part of one. Pseudo-header fields come first (RFC 9113 §8.3). */
export function encodeFields(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => encodeField(name, value)));
}

function knownName(name: string): FieldName {
  const known = names.get(name);
  if (known !== undefined) return known;
  const field = nameOf(name);
  if (names.size >= NAMES_KEPT_MAX) names.clear();
  names.set(name, field);
  return field;
}

function nameOf(name: string): FieldName {
  const values = STATIC_FIELDS.get(name) ?? NO_VALUES;
  const secret = isSecretName(name);
  const [index = 0] = values.values();
  const octets = integer(secret ? NEVER_INDEXED : NOT_INDEXED, 4, index);
  const text = index === 0 ? [...integer(PLAIN_TEXT, 7, name.length), ...Buffer.from(name, 'latin1')] : [];
  return { indexOfValue: secret ? NO_VALUES : values, literal: Buffer.from([...octets, ...text]) };
}

/** An integer behind the bits `kind` of its first octet, of which it gets the last `prefixBits` (RFC 7541 §5.1). */
function integer(kind: number, prefixBits: number, value: number): number[] {
  const prefixMax = 2 ** prefixBits - 1;
  if (value < prefixMax) return [kind | value];
  const octets = [kind | prefixMax];
  let rest = value - prefixMax;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) octets.push(0x80 | (rest % 0x80));
  octets.push(rest);
  return octets;
}
