/**
 * nginx on loopback, one worker process on one core, as the target of the comparison; it counts the requests itself (stub_status). Plain
 * HTTP/1.1 on `port`, HTTP/2 in clear on the next one, TLS 1.3 (HTTP/1.1 and HTTP/2) on the one after where openssl can make a certificate.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface NginxTarget {
  readonly url: string;
  /** HTTP/2 with prior knowledge. */
  readonly h2cUrl: string;
  /** Null without openssl. */
  readonly tlsUrl: string | null;
  /** Requests answered so far, status requests not counted. */
  requestCount(): Promise<number>;
  close(): Promise<void>;
}

/** Starts nginx pinned to `core` on `port`. @throws when it is not installed or does not come up. */
export async function startNginx(port: number, core: string): Promise<NginxTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-versus-'));
  const hasTls = makeCertificate(folder);
  writeFileSync(join(folder, 'nginx.conf'), configOf(folder, port, hasTls));
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
    h2cUrl: `http://127.0.0.1:${port + 1}/`,
    tlsUrl: hasTls ? `https://127.0.0.1:${port + 2}/` : null,
    requestCount: readCount,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A self-signed certificate in `folder`; false when openssl is not there. */
function makeCertificate(folder: string): boolean {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const kind = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=127.0.0.1',
  ];
  try {
    execFileSync('openssl', ['req', '-x509', ...kind, ...files], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function configOf(folder: string, port: number, hasTls: boolean): string {
  const hello = 'location / { return 200 "hello world"; }';
  const tls = `
  server {
    listen 127.0.0.1:${port + 2} ssl http2 backlog=4096;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    ssl_protocols TLSv1.3;
    ${hello}
  }`;
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
    ${hello}
    location /nginx-status { stub_status; }
  }
  server {
    listen 127.0.0.1:${port + 1} http2 backlog=4096;
    ${hello}
  }${hasTls ? tls : ''}
}
`;
}
