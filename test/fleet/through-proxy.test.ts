/** A run beside proxy variables: direct as long as its plan does not say otherwise, and through the proxy where it does (R035). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assertBalanced, type CommandEnd, removeResultFolders, runCommand } from '../support/command-run.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { closeOpened, OK, serve } from '../support/opened.ts';

const PASSWORD = 'not-to-be-seen';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-proxy-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

afterEach(async () => {
  removeResultFolders();
  await closeOpened();
});

/** Twenty requests to `url`, with `target.proxy` as given and HTTP_PROXY set to `place`. */
async function run(url: string, proxy: string, place: string): Promise<CommandEnd> {
  const plan = join(folder, 'plan.yaml');
  writeFileSync(
    plan,
    `seed: 3
target: { url: "${url}"${proxy} }
load: [{ arrivals: closed:2, count: 20 }]
fleet: { workers: 1 }
failOn: never
`,
  );
  const environment = { HTTP_PROXY: `http://user:${PASSWORD}@${place}`, http_proxy: '', no_proxy: '', NO_PROXY: '' };
  const end = await runCommand(['run', plan], environment);
  expect(end.exitCode, end.stderr).toBe(0);
  assertBalanced(end.result!.accounting);
  expect(end.result!.accounting.ok).toBe(20);
  return end;
}

/** How the result says that the target was reached. */
function routeOf({ result }: CommandEnd): unknown {
  return (result!.run.plan as { readonly target: { readonly proxy: unknown } }).target.proxy;
}

describe('R035 proxy variables in the environment', () => {
  it('change nothing by themselves, and the result says direct', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const proxy = await startForwardProxy();
    const end = await run(server.url, '', proxy.place);
    expect([server.requests.length, proxy.asked]).toEqual([20, []]);
    expect(routeOf(end)).toBe('direct');
  });

  it('count where the plan says env, and the result names the proxy without its password', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const proxy = await startForwardProxy();
    const end = await run(server.url, ', proxy: env', proxy.place);
    expect([server.requests.length, proxy.asked.length]).toEqual([20, 20]);
    expect(routeOf(end)).toBe(`http://${proxy.place}`);
    expect(end.stderr).toContain(`all requests go through the proxy http://${proxy.place}`);
    const everything = [end.stdout, end.stderr, JSON.stringify(end.result), end.file('plan.effective.yaml')].join();
    expect(everything).not.toContain(PASSWORD);
  });
});
