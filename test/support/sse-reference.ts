/**
 * Event streams read the slow way, straight from the text of the WHATWG standard and over the whole stream at once: the judge of the
 * parser that reads bytes as they come.
 */

/** One event. */
export interface ReferenceEvent {
  readonly type: string;
  readonly data: string;
}

/** All events of a whole stream. */
export function referenceEvents(stream: Uint8Array): ReferenceEvent[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(stream);
  const lines = (text.startsWith('\ufeff') ? text.slice(1) : text).split(/\r\n|\r|\n/);
  // What follows the last line ending is no line.
  lines.pop();
  const events: ReferenceEvent[] = [];
  let type = '';
  let data: string[] = [];
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) events.push({ type: type === '' ? 'message' : type, data: data.join('\n') });
      type = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
  }
  return events;
}
