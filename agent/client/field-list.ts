/** The value of a field that came several times, as one field has it (RFC 9110 §5.3): `before` is what came so far, null at first. */
export function fieldListWith(before: string | null, value: string): string {
  return before === null ? value : `${before}, ${value}`;
}
