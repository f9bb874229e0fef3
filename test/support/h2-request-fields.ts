/** What a client's own bytes say, read by Node's HTTP/2 server: an HPACK decoder and a judge of heads that is not ours. */
import { performServerHandshake } from 'node:http2';
import { Duplex } from 'node:stream';
import { frame } from './h2-frames.ts';
import type { RawH2Connection } from './raw-h2-server.ts';

/** Far above what any test sends: the judge must not be the one that says no. */
const HEAD_BYTES_MAX = 10_000_000;

/** The fields of a request in order, as `name: value`. */
export type RequestFields = readonly string[];

/** Fields of all requests that came over `connection` so far. Rejects when Node takes a head for malformed. */
export function requestFieldsOf(connection: RawH2Connection): Promise<RequestFields[]> {
  return new Promise((resolve, reject) => {
    const found: RequestFields[] = [];
    const wire = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    const session = performServerHandshake(wire, {
      settings: { maxHeaderListSize: HEAD_BYTES_MAX },
      maxHeaderListPairs: 65_536,
    });
    session.on('error', reject);
    session.on('frameError', (type, code, stream) => reject(new Error(`frame ${type} of stream ${stream}: ${code}`)));
    session.on('stream', (stream, _headers, _flags, rawHeaders: readonly string[] = []) => {
      stream.on('error', reject);
      const fields: string[] = [];
      for (let at = 0; at < rawHeaders.length; at += 2) fields.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
      found.push(fields);
      if (found.length < connection.streams.length) return;
      resolve(found);
      setImmediate(() => session.destroy());
    });
    wire.push(Buffer.from(connection.preface, 'latin1'));
    for (const { type, flags, stream, payload } of connection.frames) wire.push(frame(type, flags, stream, payload));
    session.on('close', () => reject(new Error(`Node read ${found.length} of ${connection.streams.length} heads`)));
  });
}
