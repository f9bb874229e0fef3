/** Sessions of several turns over a fleet: history carried, each on one worker, counted apart, books that balance. */
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assertBalanced, removeResultFolders, type ResultFile, runCommand } from '../support/command-run.ts';

interface Asked {
  readonly identity: string;
  readonly said: readonly string[];
}

interface SessionResult extends ResultFile {
  readonly accounting: ResultFile['accounting'] & { readonly issued: number; readonly followUps: number };
  readonly sessions: Readonly<Record<string, unknown>>;
  readonly phases: readonly (ResultFile['phases'][number] & { readonly mode: string })[];
}

const asked: Asked[] = [];
let server: Server;
let url = '';
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-sessions-'));
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      const said = messages.map(({ content }) => content);
      asked.push({ identity: String(request.headers['loadfleet-id']), said });
      response.setHeader('content-type', 'text/event-stream');
      const delta = JSON.stringify({ choices: [{ delta: { content: `to ${said.at(-1) ?? ''}` } }] });
      response.end(`data: ${delta}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((closed) => {
    server.close(closed);
    server.closeAllConnections();
  });
  rmSync(folder, { recursive: true, force: true });
});

afterEach(removeResultFolders);

describe('sessions over a fleet', () => {
  it('carry their history, are counted as follow-ups and balance', { timeout: 60_000 }, async () => {
    const sessions = Array.from({ length: 20 }, (_, row) =>
      JSON.stringify({
        session_id: `s${row}`,
        turns: Array.from({ length: 1 + (row % 3) }, (_, turn) => ({ text: `q${row}.${turn}`, delay: 20 })),
      }),
    );
    writeFileSync(join(folder, 'sessions.jsonl'), sessions.join('\n'));
    const plan = join(folder, 'plan.yaml');
    writeFileSync(
      plan,
      `seed: 5
target: { url: "${url}", identify: true }
workload: [{ llm: { api: chat, model: m } }]
data: { dataset: { aiperf: { file: sessions.jsonl } }, rows: once }
load: [{ rate: 20, duration: 3s }]
fleet: { agents: 2, workers: 1 }
failOn: never
`,
    );
    const { result, exitCode, stdout, stderr } = await runCommand(['run', plan, '--quiet', '--per-request']);
    expect(exitCode, stderr).toBe(0);
    const { accounting, sessions: counts } = result as SessionResult;
    assertBalanced(accounting);
    // 7 of one turn, 7 of two, 6 of three.
    expect(accounting.scheduled).toBe(7 + 14 + 18);
    expect(accounting).toMatchObject({ issued: 19, followUps: 19, ok: 39 });
    expect(counts).toEqual({
      begun: 13,
      completed: 13,
      failed: 0,
      cut: 0,
      openAtEnd: 0,
      followUpsPlanned: 19,
      followUps: 19,
      followUpsNotIssued: { failed: 0, cut: 0, openAtEnd: 0 },
    });
    expect(asked).toHaveLength(39);
    for (const { said, identity } of asked) {
      const turn = Number(identity.split('+')[1] ?? 0);
      expect(said).toHaveLength(1 + 2 * turn);
      const row = said[0]?.split('.')[0] ?? '';
      for (let before = 0; before < turn; before += 1) {
        expect(said.slice(2 * before, 2 * before + 2)).toEqual([`${row}.${before}`, `to ${row}.${before}`]);
      }
      expect(said.at(-1)).toBe(`${row}.${turn}`);
    }
    expect(stdout).toMatch(/sessions of several turns: 13 begun, 13 completed/);
    expect(stdout).toMatch(/of intended, issued +19 +19 later turns/);
  });
});
