/** Servers and clients of one test file: made with the defaults that tests want, all closed by `closeOpened` (give it to `afterEach`). */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { H2Client, type H2ClientOptions } from '../../agent/client/h2/h2-client.ts';
import type { ClientOptions } from '../../agent/client/client-options.ts';
import { UndiciClient } from '../../agent/client/undici/undici-client.ts';
import { WireClient, type WireClientOptions } from '../../agent/client/wire/wire-client.ts';
import { hostClock } from '../../shared/time/monotonic-clock.ts';
import {
  type Script,
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from './scripted-server.ts';

/** A whole answer with a body of two bytes. */
export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const opened: { close(): Promise<void> }[] = [];

/** Closes what was opened since the last call, the latest first. */
export async function closeOpened(): Promise<void> {
  for (const one of opened.splice(0).reverse()) await one.close();
}

/** Has `one` closed with the rest. */
export function keepOpened<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

/** A scripted server on loopback. */
export async function serve(script: Script, options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  return keepOpened(await startScriptedServer(script, options));
}

/** Has `server` listen on loopback, and closed with the rest. Returns its `HOST:PORT`. */
export async function listenOpened(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keepOpened({
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Options of any client for `url`. */
export function clientOptions(url: string, options: Partial<WireClientOptions> = {}): WireClientOptions {
  return {
    url,
    connectionsMax: 100,
    connectTimeoutNs: 5e9,
    connectionAgeNs: null,
    tlsServerName: null,
    insecure: false,
    connectTo: null,
    clock: hostClock,
    ...options,
  };
}

/** A wire client. */
export function wireFor(url: string, options: Partial<WireClientOptions> = {}): WireClient {
  return keepOpened(new WireClient(clientOptions(url, options)));
}

/** An undici client. */
export function undiciFor(url: string, options: Partial<ClientOptions> = {}): UndiciClient {
  return keepOpened(new UndiciClient(clientOptions(url, options)));
}

/** An HTTP/2 client. */
export function h2For(url: string, options: Partial<H2ClientOptions> = {}): H2Client {
  return keepOpened(new H2Client({ ...clientOptions(url), connectionsMax: 10, ...options }));
}
