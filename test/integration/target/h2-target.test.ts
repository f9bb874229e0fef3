import { type ClientHttp2Session, connect } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningH2Target, startH2Target } from '../../../target/h2-target.ts';

let target: RunningH2Target | null = null;
let session: ClientHttp2Session | null = null;

afterEach(async () => {
  session?.destroy();
  session = null;
  await target?.close();
  target = null;
});

async function get(): Promise<{ status: number; body: string }> {
  const stream = session!.request({ ':path': '/' });
  let status = 0;
  let body = '';
  stream.on('response', (headers) => (status = headers[':status'] ?? 0));
  stream.on('data', (bytes: Buffer) => (body += bytes.toString()));
  await new Promise((resolve, reject) => {
    stream.once('end', resolve);
    stream.once('error', reject);
  });
  return { status, body };
}

describe('the HTTP/2 target', () => {
  it('answers many streams of one session, none before its time, and counts them', async () => {
    target = await startH2Target({ service: 'constant:40ms' });
    session = connect(target.url);
    const startMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 200 }, () => get()));
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(40);
    expect(answers).toEqual(Array.from({ length: 200 }, () => ({ status: 200, body: 'ok' })));
    expect(target.counts()).toEqual({ requests: 200, sessions: { opened: 1, open: 1 } });
  });

  it('has one time for all: a law is refused', async () => {
    await expect(startH2Target({ service: 'exponential:20ms' })).rejects.toMatchObject({ code: 'usage' });
    await expect(startH2Target({ service: 'sometimes' })).rejects.toMatchObject({ code: 'plan' });
  });
});
