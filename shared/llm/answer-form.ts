/** Whether an answer is an event stream or one JSON body, told by its first bytes, whatever its headers say (R043). */

/** `events`: a stream; `body`: one JSON body. */
export type AnswerForm = 'undecided' | 'events' | 'body';

const BRACE = 0x7b;
const BRACKET = 0x5b;

/** The form by the first bytes: the first that is neither space nor part of a BOM decides. A stream never begins with a brace. */
export function formOf(bytes: Uint8Array): AnswerForm {
  for (const byte of bytes) {
    if (byte === BRACE || byte === BRACKET) return 'body';
    const isSpace = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
    if (!isSpace && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) return 'events';
  }
  return 'undecided';
}
