/** A small chat server for tests: the model that a request names says how it answers. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatChunk, DONE, FINISH, sse, textChunk, usageChunk } from './sse-text.ts';

export interface StreamServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Tokens of a good answer. */
const GOOD_TOKENS = 5;

const text = Array.from({ length: GOOD_TOKENS }, (_, index) => textChunk(`w${index}`));

/** Stands for a server that writes no more and leaves the connection open. */
const STAY = Symbol('stay');

/** Piece of an answer; null destroys the connection. */
type Piece = string | null | typeof STAY;

/** Pieces of each answer, written one after the other. */
const ANSWERS: Readonly<Record<string, readonly Piece[]>> = {
  good: [chatChunk({ role: 'assistant' }), ...text, FINISH, usageChunk(7, GOOD_TOKENS), DONE],
  error: [text[0] as string, sse({ error: { message: 'engine died', code: 500 } }), DONE],
  cut: text.slice(0, 3),
  whole: ['{"choices":[{"message":{"content":"all"}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}'],
  'bare-error': ['{"error":{"message":"no such model"}}'],
  nothing: [],
  'broken-behind-end': [...text, DONE, null],
  'open-behind-end': [...text, DONE, STAY],
  empty: [FINISH, usageChunk(7, 0), DONE],
};

/** Starts the server on a free port of loopback. */
export async function startStreamServer(): Promise<StreamServer> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { model } = JSON.parse(Buffer.concat(pieces).toString()) as { model: string };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      writeNext(response, ANSWERS[model] ?? [], 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function writeNext(response: ServerResponse, pieces: readonly Piece[], at: number): void {
  const piece = pieces[at];
  if (piece === undefined) response.end();
  else if (piece === null) response.destroy();
  else if (piece !== STAY) {
    response.write(piece);
    setTimeout(() => writeNext(response, pieces, at + 1), 2);
  }
}
