import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LargePieces } from '../../../../coordinator/api/large-pieces.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'loadfleet-pieces-'));
  vi.stubEnv('TMPDIR', root);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

it('puts the pieces of a file together in a temporary one', async () => {
  const large = new LargePieces();
  for (const text of ['one\n', 'two\n']) await large.add('requests.jsonl', bytes(text));
  expect(readFileSync(large.files.get('requests.jsonl') ?? '', 'utf8')).toBe('one\ntwo\n');
  expect([...large.missing]).toEqual([]);
});

it('R100 a temporary folder that takes nothing costs this file, not the result', async () => {
  vi.stubEnv('TMPDIR', join(root, 'none'));
  const large = new LargePieces();
  for (const text of ['one\n', 'two\n']) await large.add('requests.jsonl', bytes(text));
  expect([...large.files]).toEqual([]);
  expect(large.missing.get('requests.jsonl')).toContain('ENOENT');
});

it('R100 one that takes no more gets the room of its beginning back', async () => {
  const large = new LargePieces();
  await large.add('requests.jsonl', bytes('one\n'));
  const path = large.files.get('requests.jsonl') ?? '';
  // A folder in the place of the file: writing fails from here on.
  rmSync(path);
  mkdirSync(path);
  for (const text of ['two\n', 'three\n']) await large.add('requests.jsonl', bytes(text));
  expect([...large.files]).toEqual([]);
  expect(large.missing.get('requests.jsonl')).toContain('EISDIR');
  expect(readdirSync(root)).toEqual([]);
});
