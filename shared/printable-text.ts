/**
 * Text for a console: plans, files and servers say what stands in it, and a terminal obeys control characters (R107). Not for JSON, which
 * programs read as it is.
 */

/** Control characters, bidirectional overrides, line separators: all that a terminal obeys. */
const OBEYED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** `text` on one line and without anything a terminal obeys. */
export function printable(text: string): string {
  return text.replace(OBEYED, '\u{fffd}');
}

/** The same for text of several lines: line feeds and tabs stay, and a carriage return at the very start, which rewrites our own line. */
export function printableLines(text: string): string {
  return text.replace(OBEYED, (character, offset: number) => {
    const isLayout = character === '\n' || character === '\t' || (character === '\r' && offset === 0);
    return isLayout ? character : '\u{fffd}';
  });
}
