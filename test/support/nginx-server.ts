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

/** A running nginx. */
export interface NginxServer {
  readonly url: string;
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

/** Starts nginx with `location / { LOCATION }`, more lines for its `http` block in `settings`, and waits until it listens. */
export async function startNginx(location = 'return 200 "ok";', settings = ''): Promise<NginxServer> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-nginx-'));
  const port = await freePort();
  const requestsPerConnection = settings.includes('keepalive_requests') ? '' : 'keepalive_requests 1000000;';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http { ${temporary.join(' ')} ${requestsPerConnection} ${settings}
  log_format plain "$request_method $request_uri $status"; access_log ${folder}/access.log plain;
  server { listen 127.0.0.1:${port} backlog=4096; location / { ${location} } } }
`,
  );
  const child: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; !existsSync(join(folder, 'pid')) && attempt < 200 && child.exitCode === null; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (child.exitCode !== null)
    throw new Error(`nginx did not start: ${readFileSync(join(folder, 'error.log'), 'utf8')}`);
  return {
    url,
    stop: async () => {
      child.kill('SIGQUIT');
      await exited;
      const log = readFileSync(join(folder, 'access.log'), 'utf8');
      rmSync(folder, { recursive: true, force: true });
      return log.split('\n').filter((line) => line !== '');
    },
  };
}
