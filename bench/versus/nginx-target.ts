/** nginx on loopback, one worker process on one core, as the target of the comparison; it counts the requests itself (stub_status). */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface NginxTarget {
  readonly url: string;
  /** Requests answered so far, status requests not counted. */
  requestCount(): Promise<number>;
  close(): Promise<void>;
}

/** Starts nginx pinned to `core` on `port`. @throws when it is not installed or does not come up. */
export async function startNginx(port: number, core: string): Promise<NginxTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-versus-'));
  writeFileSync(join(folder, 'nginx.conf'), configOf(folder, port));
  const child: ChildProcess = spawn('taskset', ['-c', core, 'nginx', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let statusRequests = 0;
  const readCount = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/nginx-status`)).text();
    statusRequests += 1;
    const requests = /\n\s*\d+\s+\d+\s+(\d+)/.exec(text)?.[1];
    return Number(requests) - statusRequests;
  };
  for (let attempt = 0; ; attempt += 1) {
    try {
      await readCount();
      break;
    } catch (error) {
      if (attempt === 50 || child.exitCode !== null)
        throw new Error('nginx did not come up; is it installed?', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    requestCount: readCount,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(folder: string, port: number): string {
  return `
worker_processes 1;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 20000; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { return 200 "hello world"; }
    location /nginx-status { stub_status; }
  }
}
`;
}
