import { expect, it } from 'vitest';
import { GrpcMessages } from '../../../../../agent/client/h2/grpc-messages.ts';

/** `body` taken in pieces of `pieceBytes`. */
function taken(body: string, pieceBytes: number): GrpcMessages {
  const messages = new GrpcMessages();
  const bytes = Buffer.from(`--${body}--`, 'latin1');
  for (let at = 2; at < bytes.length - 2; at += pieceBytes)
    messages.take(bytes, at, Math.min(at + pieceBytes, bytes.length - 2));
  return messages;
}

const EMPTY = '\0\0\0\0\0';
const LONG = `\x01\0\0\x01\x02${'x'.repeat(258)}`;

it.each([1, 2, 3, 7, 1000])('R036 knows a whole message from a part of one, in pieces of %d bytes', (pieceBytes) => {
  for (const whole of ['', EMPTY, LONG, EMPTY + LONG + EMPTY]) expect(taken(whole, pieceBytes).isInside).toBe(false);
  for (let bytes = 1; bytes < LONG.length; bytes += 1)
    expect(taken(EMPTY + LONG.slice(0, bytes), pieceBytes).isInside).toBe(true);
});

it('has no limit but that of the format', () => {
  expect(taken('\0\xff\xff\xff\xffsome', 100).isInside).toBe(true);
});
