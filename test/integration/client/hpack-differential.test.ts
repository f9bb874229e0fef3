/** Our HPACK beside the one of node:http2, in both directions, over real connections. */
import { constants, createServer, type Http2Server, sensitiveHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { HpackDecoder } from '../../../agent/client/hpack/hpack-decoder.ts';
import { encodeFields } from '../../../agent/client/hpack/hpack-encoder.ts';
import { decodedBlock } from '../../support/decoded-block.ts';
import { closeOpened, keepOpened } from '../../support/opened.ts';
import { RawH2Client } from '../../support/raw-h2-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';

type Field = readonly [name: string, value: string];
type OnStream = (stream: ServerHttp2Stream, rawHeaders: readonly string[], sensitive: readonly string[]) => void;

const SECTION_BYTES_MAX = 1e6;
const REQUEST: readonly Field[] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'x'],
];

afterEach(closeOpened);

/** A server of node:http2; returns its port. */
async function serveByNode(onStream: OnStream): Promise<number> {
  const server: Http2Server = createServer({ maxHeaderListPairs: 1000 });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: object, _flags: number, rawHeaders: string[]) => {
    stream.on('error', () => undefined);
    onStream(stream, rawHeaders, Reflect.get(headers, sensitiveHeaders) as readonly string[]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keepOpened({
    close: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  return (server.address() as AddressInfo).port;
}

async function connectTo(port: number, tableBytesMax = 4096): Promise<RawH2Client> {
  return keepOpened(await RawH2Client.connect(port, tableBytesMax));
}

/** Octets that HTTP allows in a value; not at its ends, where blanks are dropped. */
const INNER = [
  0x09,
  ...Array.from({ length: 0x5f }, (_, at) => 0x20 + at),
  ...Array.from({ length: 0x80 }, (_, at) => 0x80 + at),
];
const OUTER = INNER.filter((octet) => octet !== 0x09 && octet !== 0x20);
const value = fc
  .tuple(
    fc.constantFrom(...OUTER),
    fc.array(fc.constantFrom(...INNER), { maxLength: 300, size: 'max' }),
    fc.constantFrom(...OUTER),
  )
  .map(([first, inner, last]) => Buffer.from([first, ...inner, last]).toString('latin1'));
const KNOWN_NAMES = ['accept', 'accept-encoding', 'user-agent', 'range', 'cache-control', 'etag', 'vary', 'referer'];
const SECRET_NAMES = ['authorization', 'x-api-key', 'x-auth-token', 'proxy-authorization'];
const name = fc.oneof(
  fc.constantFrom(...KNOWN_NAMES),
  fc.constantFrom(...SECRET_NAMES),
  fc.stringMatching(/^[a-z][a-z0-9!#$%&'*+.^_`|~-]{0,150}$/),
);
/** Values of the static table, short ones, and long ones. */
const anyValue = fc.oneof(
  fc.constant(''),
  fc.constant('gzip, deflate'),
  value,
  fc.integer({ min: 500, max: 9000 }).map((length) => 'long '.repeat(length / 5).trim()),
);
/** Names that HTTP/2 forbids, or that HTTP gives a meaning of their own. */
const REFUSED_NAMES = ['connection', 'upgrade', 'te', 'host', 'trailer', 'cookie', 'content-length', 'expect'];
const fieldSet = fc
  .uniqueArray(fc.tuple(name, anyValue), { maxLength: 12, selector: ([text]) => text })
  .map((fields): readonly Field[] => fields.filter(([text]) => !REFUSED_NAMES.includes(text)));

describe('what we encode', () => {
  it('is what node:http2 reads, fields that must not be indexed included', async () => {
    let seen: (rawHeaders: readonly string[], sensitive: readonly string[]) => void = () => undefined;
    const port = await serveByNode((stream, rawHeaders, sensitive) => {
      seen(rawHeaders, sensitive);
      stream.respond({ ':status': 204 }, { endStream: true });
    });
    const client = await connectTo(port);
    let secrets = 0;
    await fc.assert(
      fc.asyncProperty(fieldSet, fc.integer({ min: 1, max: 16_384 }), async (fields, frameBytes) => {
        const sent = [...REQUEST, ...fields];
        const reading = new Promise<readonly [readonly string[], readonly string[]]>((resolve) => {
          seen = (...what) => resolve(what);
        });
        // Many small frames in a row count as an attack.
        const block = encodeFields(sent);
        const stream = client.request(block, Math.max(frameBytes, Math.ceil(block.length / 4)));
        expect(await client.answered(stream)).not.toBe(null);
        const [rawHeaders, sensitive] = await reading;
        expect(rawHeaders).toEqual(sent.flat());
        secrets += fields.filter(([text]) => SECRET_NAMES.includes(text)).length;
        expect(sensitive).toEqual(
          expect.arrayContaining(fields.map(([text]) => text).filter((text) => SECRET_NAMES.includes(text))),
        );
        expect(sensitive).not.toEqual(expect.arrayContaining([expect.stringMatching(/^:|^accept|^user-agent$/)]));
      }),
      { seed: 7541, numRuns: 200 },
    );
    expect(secrets).toBeGreaterThan(20);
  });
});

/** Keeps what blocks without a change to the table said. It must never differ from a decoder that reads every block. */
class SparingDecoder {
  repeats = 0;
  readonly #decoder: HpackDecoder;
  readonly #known = new Map<string, { fields: readonly Field[]; version: number }>();

  constructor(tableBytesMax: number) {
    this.#decoder = new HpackDecoder(tableBytesMax, SECTION_BYTES_MAX);
  }

  fieldsOf(block: Buffer): readonly Field[] {
    const version = this.#decoder.tableVersion;
    const key = block.toString('latin1');
    const known = this.#known.get(key);
    if (known?.version === version) {
      this.repeats += 1;
      return known.fields;
    }
    const { fields, refusal } = decodedBlock(this.#decoder, block);
    expect(refusal).toBe(null);
    if (this.#decoder.tableVersion === version) this.#known.set(key, { fields, version });
    return fields;
  }
}

describe('what node:http2 encodes', () => {
  it.each([0, 64, 256, 4096, 65_536])('is what we read, with a table of %i bytes', async (tableBytesMax) => {
    const draws = seededRandom(7541 + tableBytesMax);
    const sets = fc.sample(fieldSet, { seed: 7541, numRuns: 25 });
    const answers: (readonly Field[])[] = [];
    const port = await serveByNode((stream) => {
      const fields = answers[(Number(stream.id) - 1) / 2] as readonly Field[];
      const secret = fields.map(([text]) => text).filter((text) => SECRET_NAMES.includes(text));
      stream.respond({ ...Object.fromEntries(fields), [sensitiveHeaders]: secret }, { endStream: true });
    });
    const client = await connectTo(port, tableBytesMax);
    const decoder = new HpackDecoder(tableBytesMax, SECTION_BYTES_MAX);
    const sparing = new SparingDecoder(tableBytesMax);
    const request = encodeFields(REQUEST);
    let shortest = Infinity;
    for (let count = 0; count < 400; count += 1) {
      // Mostly the same few sets, as a server has them; in between all others, which drop them from the table.
      const set = sets[draws.uniform() < 0.9 ? draws.below(4) : draws.below(sets.length)] as readonly Field[];
      const status = draws.uniform() < 0.8 ? '200' : String(200 + draws.below(5));
      const date = `Mon, 30 Nov 2026 12:00:${10 + Math.floor(count / 10)} GMT`;
      const fields: readonly Field[] = [[':status', status], ['date', date], ...set];
      answers.push(fields);
      const block = (await client.answered(client.request(request))) as Buffer;
      expect(decodedBlock(decoder, block)).toEqual({ fields, refusal: null });
      expect(sparing.fieldsOf(block)).toEqual(fields);
      shortest = Math.min(shortest, block.length);
    }
    // A status and a date alone: written out where there is no table, two references where there is one.
    if (tableBytesMax === 0) expect(shortest).toBeGreaterThan(20);
    if (tableBytesMax >= 256) expect(shortest).toBe(2);
    expect(sparing.repeats).toBeGreaterThan(20);
  });
});

describe('what node:http2 refuses', () => {
  /** `custom-key: custom-value` in Huffman code, inserted and then taken from the table. */
  const INSERTED_FIELD = Buffer.from('408825a849e95ba97d7f8925a849e95bb8e8b4bfbe', 'hex');

  it('is what we refuse: good blocks with some octets changed', async () => {
    const port = await serveByNode((stream) => stream.respond({ ':status': 204 }, { endStream: true }));
    const draws = seededRandom(7541);
    const verdicts = { refused: 0, good: 0 };
    for (const [at, fields] of fc.sample(fieldSet, { seed: 7542, numRuns: 200 }).entries()) {
      const block = Buffer.concat([encodeFields(REQUEST), INSERTED_FIELD, encodeFields(fields).subarray(0, 2000)]);
      for (let changes = 1 + draws.below(3); changes > 0; changes -= 1) {
        block[draws.below(Math.min(block.length, 80))] = draws.below(256);
      }
      const client = await connectTo(port);
      client.request(block);
      // The server answers a good request, also behind one that only breaks rules of HTTP, unless it has left.
      await client.answered(client.request(encodeFields(REQUEST)));
      const ours = decodedBlock(new HpackDecoder(4096, SECTION_BYTES_MAX), block).refusal;
      const theirs = client.goaway === constants.NGHTTP2_COMPRESSION_ERROR;
      expect(ours !== null, `block ${at}: ${ours}, GOAWAY ${client.goaway}: ${block.toString('hex')}`).toBe(theirs);
      verdicts[theirs ? 'refused' : 'good'] += 1;
      await client.close();
    }
    expect(Math.min(verdicts.refused, verdicts.good)).toBeGreaterThan(40);
  });
});
