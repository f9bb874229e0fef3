/** Node's own HTTP client as a judge of response framing: fed the same pieces of bytes over a stream that is no socket. */
import { request } from 'node:http';
import { Duplex } from 'node:stream';

/** What a parser made of a byte stream. `open`: it still waits for more. */
export type FramingVerdict =
  | { readonly kind: 'complete'; readonly status: number; readonly body: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'cut-short' }
  | { readonly kind: 'open' };

/** Feeds `pieces`, then the end of the stream when `closes`, to Node's HTTP client. */
export function judgeByNode(pieces: readonly Buffer[], method: string, closes: boolean): Promise<FramingVerdict> {
  return new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    let settled = false;
    const settle = (verdict: FramingVerdict): void => {
      if (settled) return;
      settled = true;
      resolve(verdict);
      setImmediate(() => wire.destroy());
    };
    const asked = request({ method, createConnection: () => wire, host: 'reference.test' });
    asked.on('error', (error: NodeJS.ErrnoException) => settle(failureVerdict(error)));
    asked.on('upgrade', () => settle({ kind: 'refused', reason: 'upgrade' }));
    asked.on('response', (response) => {
      const body: Buffer[] = [];
      response.on('data', (chunk: Buffer) => body.push(chunk));
      response.on('error', (error: NodeJS.ErrnoException) => settle(failureVerdict(error)));
      response.on('end', () => {
        settle({ kind: 'complete', status: response.statusCode ?? 0, body: Buffer.concat(body).toString('latin1') });
      });
    });
    asked.end();
    asked.on('finish', () => {
      for (const piece of pieces) wire.push(piece);
      if (closes) wire.push(null);
      // Everything is in memory: a few turns of the loop are all that Node needs to make up its mind.
      let turns = 12;
      const wait = (): void => {
        turns -= 1;
        if (turns > 0) setImmediate(wait);
        else settle({ kind: 'open' });
      };
      setImmediate(wait);
    });
  });
}

function failureVerdict(error: NodeJS.ErrnoException): FramingVerdict {
  return error.code?.startsWith('HPE_') === true ? { kind: 'refused', reason: error.message } : { kind: 'cut-short' };
}
