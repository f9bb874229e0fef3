/** Events that a server or gateway sends only to keep a silent stream open: they are to be taken like comments, for they say nothing. */

/** Longest data that is looked at. */
const DATA_LENGTH_MAX = 200;

const NAMES: ReadonlySet<string> = new Set(['ping', 'keepalive', 'keep-alive', 'heartbeat']);
const TYPED = /^\s*\{\s*"(?:type|event)"\s*:\s*"(?:ping|keep-?alive|heartbeat)"/;

/** Whether an event of this type (`message` where it has none) with this data is one: named so, typed so, or without data. */
export function isKeepAlive(type: string, data: string): boolean {
  if (NAMES.has(type)) return true;
  if (type === 'error' || data.length > DATA_LENGTH_MAX) return false;
  return data.trim() === '' || TYPED.test(data);
}
