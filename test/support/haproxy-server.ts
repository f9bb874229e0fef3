/** HAProxy from the system's packages on loopback, before a server of the test's own. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether HAProxy is installed; tests that need it are skipped, and said to be, where it is not. */
export const hasHaproxy = ((): boolean => {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** What HAProxy takes from clients beyond HTTP/1.1 in clear. */
export interface HaproxyFront {
  readonly http2?: boolean;
  /** PEM texts; then the url is one of https. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** How long a client connection may be silent with requests open, and before the first; 20,000. */
  readonly clientTimeoutMs?: number;
}

/** A running HAProxy. */
export interface HaproxyServer {
  readonly url: string;
  /** SIGUSR1 ends it when all is answered, SIGTERM at once. */
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

function bindWords(folder: string, { http2, certificate }: HaproxyFront): string {
  if (certificate === undefined) return http2 === true ? 'proto h2' : '';
  writeFileSync(join(folder, 'front.pem'), certificate.cert + certificate.key);
  return `ssl crt ${folder}/front.pem alpn ${http2 === true ? 'h2' : 'http/1.1'}`;
}

/** Starts HAProxy in front of `backendPort`; idle client connections live for `keepAliveMs`, or null for `clientTimeoutMs`. */
export async function startHaproxy(
  backendPort: number,
  keepAliveMs: number | null,
  front: HaproxyFront = {},
): Promise<HaproxyServer> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-haproxy-'));
  const port = await freePort();
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 5s
  timeout client ${front.clientTimeoutMs ?? 20_000}ms
  timeout server 20s
  ${keepAliveMs === null ? '' : `timeout http-keep-alive ${keepAliveMs}ms`}
frontend front
  bind 127.0.0.1:${port} ${bindWords(folder, front)}
  default_backend back
backend back
  server one 127.0.0.1:${backendPort}
`,
  );
  const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (let attempt = 0; attempt < 200 && !(await canConnect(port)); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `${front.certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
