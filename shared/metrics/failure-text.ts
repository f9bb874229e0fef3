/**
 * What is taken out of failure texts so that not each of them is new (R095). Workers do so; whoever looks for something in such a text must
 * do the same to it.
 */

const PLACEHOLDERS = /<url>|<id>|#/g;

/** `text` without what differs from request to request: URLs, addresses, numbers, and control characters. */
export function withoutOccasion(text: string): string {
  return text
    .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<url>')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\b[0-9a-f]{8,}(-[0-9a-f]+)*\b/gi, '<id>')
    .replace(/[0-9]+/g, '#');
}

/** How `secret` may stand in such a text; null where so little is left of it that it is no secret any more. */
export function secretWithoutOccasion(secret: string): string | null {
  const left = withoutOccasion(secret);
  return left.replace(PLACEHOLDERS, '').length < 8 ? null : left;
}
