/** What the comparison measures, one function for each table of it. Every ratio is made within one run. */
import { type Cost, costOf, costTable, median, runNodeH2, runWorker } from './loads.ts';
import { runMeasured } from './measured-process.ts';
import type { NginxTarget } from './nginx-target.ts';
import { type Peer, PEERS, versionOf } from './peers.ts';

/** How large and where. */
export interface Setting {
  readonly target: NginxTarget;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly clientCore: string;
  readonly targetCore: string;
  readonly print: (text: string) => void;
}

/** Time that our worker gets to warm up before it is measured; other tools are measured from their start. */
const WARMUP_SECONDS = 3;
/** Requests a second to begin with, where only a number of requests can be asked for. */
const FIRST_GUESS_PER_SECOND = 20_000;
const H2_CONNECTIONS = 10;
const H2_STREAMS = 100;

type Costs = Map<string, Cost[]>;

function note(costs: Costs, name: string, cost: Cost): void {
  costs.set(name, [...(costs.get(name) ?? []), cost]);
}

function limitOf(setting: Setting): number {
  return 20 * setting.seconds + 90;
}

/** Saturating, plain GET: our worker with both HTTP/1.1 clients, and every other tool found. Returns our requests a second. */
export async function saturating(setting: Setting): Promise<number> {
  const { target, rounds, seconds, connections, clientCore, print } = setting;
  const found = PEERS.filter((peer) => {
    const version = versionOf(peer);
    print(`${peer.name.padEnd(12)} ${version ?? 'not installed'}`);
    return version !== null;
  });
  const costs: Costs = new Map();
  let rate = FIRST_GUESS_PER_SECOND;
  for (let round = 0; round < rounds; round += 1) {
    for (const client of ['auto', 'undici']) {
      const args = ['saturate', Math.round(rate * seconds), connections, WARMUP_SECONDS, client];
      const cost = costOf(await runWorker(target.url, args, clientCore, limitOf(setting)));
      note(costs, client === 'auto' ? 'loadfleet' : 'loadfleet with undici', cost);
      if (client === 'auto') rate = cost.requestsPerSecond;
    }
    for (const peer of found)
      note(costs, peer.name, await peerCost(setting, peer, peer.saturate(target.url, connections, seconds)));
  }
  print(`\nsaturating, plain GET, ${connections} connections, ${rounds} rounds of about ${seconds} s, medians`);
  print(costTable(costs, 'loadfleet'));
  return rate;
}

/** Most connections of the open loop's second run at half of saturation: as many as requests need. */
const ANY_CONNECTIONS = 1000;

/**
 * Open loop at several rates, up to half of `saturationRate`, on as many connections as it was saturated on, the last also on any number:
 * lag, response and the share of a core. The worker has the client's core to itself; what an agent does beside it is on the target's, as
 * with `--worker-cores`.
 */
export async function openLoop(setting: Setting, saturationRate: number): Promise<void> {
  const { target, seconds, connections, clientCore, targetCore, print } = setting;
  const half = Math.round(saturationRate / 2);
  const us = (ns: number | null | undefined): string => (ns === null || ns === undefined ? '-' : (ns / 1e3).toFixed(0));
  print('\nopen loop, Poisson, one worker, after a warm-up of 5 s; microseconds');
  print('rate/s    pacing   conns   wakeLag p50    p99   p99.9   response p50    p99   p99.9   of one core');
  const loads = [
    ...[100, 1000, 10_000, half].map((rate) => ({ rate, most: connections })),
    { rate: half, most: ANY_CONNECTIONS },
  ];
  for (const pacing of ['hybrid', 'timer', 'spin']) {
    for (const { rate, most } of loads) {
      const args = ['poisson', rate, 2 * seconds, 5, 'auto', 1, pacing, clientCore, most];
      const {
        percentiles,
        cpuSeconds,
        seconds: length,
      } = await runWorker(target.url, args, `${clientCore},${targetCore}`, limitOf(setting));
      const { wakeLag, response } = percentiles;
      const shown = [wakeLag, response].flatMap((p) => [us(p?.['50']), us(p?.['99']), us(p?.['99.9'])]);
      const widths = [14, 7, 8, 15, 7, 8];
      print(
        [
          String(rate).padEnd(10),
          pacing.padEnd(8),
          String(most).padStart(6),
          ...shown.map((text, place) => text.padStart(widths[place] as number)),
          `${((100 * cpuSeconds) / length).toFixed(0)} %`.padStart(13),
        ].join(''),
      );
    }
  }
}

/** What `peer` did with `args` on `cores`, by the target's count. */
async function peerCost(
  setting: Setting,
  peer: Peer,
  args: readonly string[],
  cores = setting.clientCore,
): Promise<Cost> {
  const { target, seconds } = setting;
  const before = await target.requestCount();
  const run = await runMeasured(peer.program, args, cores, `GET ${target.url}\n`, seconds + 60);
  const requests = (await target.requestCount()) - before;
  return { requestsPerCpuSecond: requests / run.cpuSeconds, requestsPerSecond: requests / run.wallSeconds };
}

/** HTTP/2 in clear: our client, undici's, a bare loop on node:http2, and other tools that speak it. */
export async function http2(setting: Setting): Promise<void> {
  const { target, rounds, seconds, clientCore, print } = setting;
  const costs: Costs = new Map();
  const open = H2_CONNECTIONS * H2_STREAMS;
  let rate = FIRST_GUESS_PER_SECOND / 2;
  for (let round = 0; round < rounds; round += 1) {
    const count = Math.round(rate * seconds);
    const ours = await runWorker(
      target.h2cUrl,
      ['saturate', count, open, WARMUP_SECONDS, 'h2'],
      clientCore,
      limitOf(setting),
    );
    note(costs, 'loadfleet', costOf(ours));
    rate = costOf(ours).requestsPerSecond;
    for (const engine of ['undici', 'node:http2']) {
      const size = { count, connections: H2_CONNECTIONS, streams: H2_STREAMS };
      note(costs, engine, costOf(await runNodeH2(engine, target.h2cUrl, size, clientCore, limitOf(setting))));
    }
    for (const peer of PEERS) {
      if (peer.saturateH2 === undefined || versionOf(peer) === null) continue;
      const args = peer.saturateH2(target.h2cUrl, H2_CONNECTIONS, H2_STREAMS, seconds);
      note(costs, peer.name, await peerCost(setting, peer, args));
    }
  }
  print(`\nHTTP/2 in clear, ${H2_CONNECTIONS} connections x ${H2_STREAMS} streams, medians of ${rounds} rounds`);
  print(costTable(costs, 'loadfleet'));
}

/** Other tools whose own ratio shows what this machine leaves of an aim. */
function controls(): readonly Peer[] {
  return PEERS.filter((peer) => peer.saturateThreads !== undefined && versionOf(peer) !== null);
}

/** How many times the requests per CPU-second of `one` those of `other` are. */
function ratioOf(costs: Costs, one: string, other: string): number {
  const [perCpuOne, perCpuOther] = [one, other].map((name) =>
    median((costs.get(name) ?? []).map((cost) => cost.requestsPerCpuSecond)),
  ) as [number, number];
  return perCpuOther / perCpuOne;
}

/** The same GET over TLS 1.3 with keep-alive, and the same streams of HTTP/2; beside it what TLS costs other tools. */
export async function tls(setting: Setting): Promise<void> {
  const { target, rounds, seconds, connections, clientCore, print } = setting;
  if (target.tlsUrl === null) {
    print('\nTLS: not measured, openssl is not installed');
    return;
  }
  const count = (FIRST_GUESS_PER_SECOND * seconds) / 2;
  const h1 = ['saturate', count, connections, WARMUP_SECONDS];
  const h2 = ['saturate', 2 * count, H2_CONNECTIONS * H2_STREAMS, WARMUP_SECONDS, 'h2'];
  const costs: Costs = new Map();
  const h2Costs: Costs = new Map();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, url] of [['TLS 1.3', target.tlsUrl] as const, ['plain', target.url] as const])
      note(costs, name, costOf(await runWorker(url, h1, clientCore, limitOf(setting))));
    for (const peer of controls()) {
      for (const [name, url] of [['TLS 1.3', target.tlsUrl] as const, ['plain', target.url] as const])
        note(
          costs,
          `${peer.program}, ${name}`,
          await peerCost(setting, peer, peer.saturate(url, connections, seconds)),
        );
    }
    for (const [name, url] of [['TLS 1.3', target.tlsUrl] as const, ['plain', target.h2cUrl] as const])
      note(h2Costs, name, costOf(await runWorker(url, h2, clientCore, limitOf(setting))));
  }
  print(`\nHTTP/1.1 over TLS 1.3, keep-alive, medians of ${rounds} rounds`);
  print(costTable(costs, 'plain'));
  for (const { program } of controls())
    print(
      `${program}: TLS costs it ${ratioOf(costs, `${program}, TLS 1.3`, `${program}, plain`).toFixed(2)} x its plain`,
    );
  print(`\nHTTP/2 over TLS 1.3, ${H2_CONNECTIONS} connections x ${H2_STREAMS} streams, medians of ${rounds} rounds`);
  print(costTable(h2Costs, 'plain'));
}

/**
 * One worker and two, each with as many connections, on all cores, the target among them: by CPU-second, as the target is the limit here.
 * Beside it one and two threads of other tools.
 */
export async function workers(setting: Setting): Promise<void> {
  const { target, rounds, seconds, connections, clientCore, targetCore, print } = setting;
  const costs: Costs = new Map();
  const cores = `${clientCore},${targetCore}`;
  let rate = FIRST_GUESS_PER_SECOND;
  for (let round = 0; round < rounds; round += 1) {
    for (const count of [1, 2]) {
      const args = ['saturate', Math.round(rate * seconds), count * connections, WARMUP_SECONDS, 'auto', count];
      const cost = costOf(await runWorker(target.url, args, cores, limitOf(setting)));
      note(costs, `loadfleet, ${count} thread(s)`, cost);
      rate = cost.requestsPerSecond;
    }
    for (const peer of controls()) {
      for (const count of [1, 2]) {
        const args = peer.saturateThreads?.(target.url, count * connections, seconds, count);
        note(costs, `${peer.program}, ${count} thread(s)`, await peerCost(setting, peer, args ?? [], cores));
      }
    }
  }
  print(`\ntwo workers on the cores that the target uses too, medians of ${rounds} rounds`);
  print(costTable(costs, 'loadfleet, 1 thread(s)'));
  for (const name of ['loadfleet', ...controls().map(({ program }) => program)]) {
    const share = ratioOf(costs, `${name}, 1 thread(s)`, `${name}, 2 thread(s)`);
    print(`${name}: two threads with a core each ${(2 * share).toFixed(2)} x one, by requests per CPU-second`);
  }
}

/** `requests` at a constant rate: resident memory each second, against that after the first tenth. */
export async function memory(setting: Setting, requests: number, ratePerSecond: number): Promise<void> {
  const { target, clientCore, print } = setting;
  const seconds = Math.round(requests / ratePerSecond);
  const run = await runWorker(target.url, ['even', ratePerSecond, seconds, 0], clientCore, seconds + limitOf(setting));
  const megabytes = run.residentBytes.map((bytes) => bytes / 2 ** 20);
  const after = megabytes.slice(Math.ceil(megabytes.length / 10));
  const first = after[0] ?? Number.NaN;
  print(`\n${requests} requests at ${ratePerSecond}/s: ${run.ok} ok, ${run.failed} failed, ${run.dropped} dropped`);
  print(
    `resident memory after the first tenth ${first.toFixed(0)} MB, then between ${Math.min(...after).toFixed(0)} and ${Math.max(...after).toFixed(0)} MB, at the end ${(after.at(-1) ?? Number.NaN).toFixed(0)} MB`,
  );
}
