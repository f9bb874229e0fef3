/** nginx from the system's packages on loopback, with an access log that tests count. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether nginx is installed; tests that need it are skipped, and said to be, where it is not. */
export const hasNginx = ((): boolean => {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** What nginx listens for beyond HTTP/1.1 in clear. */
export interface NginxFront {
  readonly http2?: boolean;
  /** PEM texts; then the url is one of https. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** More lines of the `server` block. */
  readonly server?: string;
}

/** A running nginx. */
export interface NginxServer {
  readonly url: string;
  /** A unix socket on which it listens for the same. */
  readonly socketPath: string;
  /** Of the master process. */
  readonly pid: number;
  /** To the master: SIGHUP begins anew with other workers, SIGTERM ends at once, SIGQUIT when all is answered. */
  signal(signal: NodeJS.Signals): void;
  /** Lines of the access log, once nginx has stopped and flushed it. */
  stop(): Promise<readonly string[]>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The `listen` lines, and what they need of TLS. */
function frontLines(folder: string, port: number, { http2, certificate, server }: NginxFront): string {
  const words = `${certificate === undefined ? '' : 'ssl '}${http2 === true ? 'http2 ' : ''}`;
  const lines = `listen 127.0.0.1:${port} ${words}backlog=4096; listen unix:${folder}/socket ${words}; ${server ?? ''}`;
  if (certificate === undefined) return lines;
  writeFileSync(join(folder, 'cert.pem'), certificate.cert);
  writeFileSync(join(folder, 'key.pem'), certificate.key);
  return `${lines} ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
}

/** Starts nginx with `location / { LOCATION }`, more lines for its `http` block in `settings`, and waits until it listens. */
export async function startNginx(
  location = 'return 200 "ok";',
  settings = '',
  front: NginxFront = {},
): Promise<NginxServer> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-nginx-'));
  const port = await freePort();
  const requestsPerConnection = settings.includes('keepalive_requests') ? '' : 'keepalive_requests 1000000;';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root root;' : ''} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http { ${temporary.join(' ')} ${requestsPerConnection} ${settings}
  log_format plain "$request_method $request_uri $status"; access_log ${folder}/access.log plain;
  server { ${frontLines(folder, port, front)} location / { ${location} } } }
`,
  );
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `${front.certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  for (let attempt = 0; !existsSync(join(folder, 'pid')) && attempt < 200 && child.exitCode === null; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (child.exitCode !== null)
    throw new Error(`nginx did not start: ${readFileSync(join(folder, 'error.log'), 'utf8')}`);
  return {
    url,
    socketPath: join(folder, 'socket'),
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGQUIT');
      await exited;
      const log = readFileSync(join(folder, 'access.log'), 'utf8');
      rmSync(folder, { recursive: true, force: true });
      return log.split('\n').filter((line) => line !== '');
    },
  };
}
