/**
 * How failures name what a server said of their end: its code first, which the report keeps as it is, then what explains it. Pure.
 */
import { ERROR_CODE } from './frame.ts';

/** Characters of a server's own words that are kept. */
const WORDS_MAX = 60;

/** RST_STREAM with `code`. */
export function resetText(code: number): string {
  return `RST_STREAM ${code}${meaningOf(code)}`;
}

/** GOAWAY with `code`; `debug` is its debug data (RFC 9113 §6.8), one character an octet, '' where it has none. */
export function goawayText(code: number, debug: string): string {
  const words = debug
    .slice(0, WORDS_MAX)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim();
  return `GOAWAY ${code}${meaningOf(code)}${words === '' ? '' : `: ${words}`}`;
}

/** The one code that says what to do about it (RFC 9113 §7). */
function meaningOf(code: number): string {
  return code === ERROR_CODE.http11Required ? ': the server asks for HTTP/1.1' : '';
}
