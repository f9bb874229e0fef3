/**
 * The other tools of the comparison: how each is told to saturate a URL over N connections for some seconds, and to pace itself where it
 * can. A tool is taken when its program is found; what it did is counted at the target, never read from its own words.
 */
import { toolVersion } from './tool-version.ts';

/**
 * One other tool. `saturate` and `paced` give the arguments of a run; null where the tool cannot do it. `saturateH2` is there where it
 * speaks HTTP/2 with many streams, `saturateThreads` where it is told how many threads share the connections.
 */
export interface Peer {
  readonly name: string;
  readonly program: string;
  readonly versionArgs: readonly string[];
  saturate(url: string, connections: number, seconds: number): readonly string[];
  paced(url: string, connections: number, seconds: number, ratePerSecond: number): readonly string[] | null;
  saturateH2?(url: string, connections: number, streams: number, seconds: number): readonly string[];
  saturateThreads?(url: string, connections: number, seconds: number, threads: number): readonly string[];
}

function wrk(url: string, connections: number, seconds: number, threads: number): readonly string[] {
  return [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, url];
}

function h2load(url: string, connections: number, seconds: number, threads: number): readonly string[] {
  return ['--h1', `-t${threads}`, `-c${connections}`, '-m1', '-D', String(seconds), url];
}

export const PEERS: readonly Peer[] = [
  {
    name: 'wrk -t1',
    program: 'wrk',
    versionArgs: ['-v'],
    saturate: (url, connections, seconds) => wrk(url, connections, seconds, 1),
    paced: () => null,
    saturateThreads: wrk,
  },
  {
    name: 'wrk2 -t1',
    program: 'wrk2',
    versionArgs: ['-v'],
    saturate: (url, connections, seconds) => ['-t1', `-c${connections}`, `-d${seconds}s`, '-R10000000', url],
    paced: (url, connections, seconds, rate) => [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      `-R${rate}`,
      '--latency',
      url,
    ],
  },
  {
    name: 'h2load',
    program: 'h2load',
    versionArgs: ['--version'],
    saturate: (url, connections, seconds) => h2load(url, connections, seconds, 1),
    paced: () => null,
    saturateThreads: h2load,
    saturateH2: (url, connections, streams, seconds) => [
      '-t1',
      `-c${connections}`,
      `-m${streams}`,
      '-D',
      String(seconds),
      url,
    ],
  },
  {
    name: 'autocannon',
    program: 'autocannon',
    versionArgs: ['--version'],
    saturate: (url, connections, seconds) => ['-c', String(connections), '-d', String(seconds), url],
    paced: (url, connections, seconds, rate) => [
      '-c',
      String(connections),
      '-d',
      String(seconds),
      '-R',
      String(rate),
      url,
    ],
  },
  {
    name: 'vegeta',
    program: 'vegeta',
    versionArgs: ['--version'],
    saturate: (_url, connections, seconds) => [
      'attack',
      '-rate=0',
      `-max-workers=${connections}`,
      `-duration=${seconds}s`,
      '-output=/dev/null',
    ],
    paced: (_url, _connections, seconds, rate) => [
      'attack',
      `-rate=${rate}`,
      `-duration=${seconds}s`,
      '-output=/dev/null',
    ],
  },
  {
    name: 'fortio',
    program: 'fortio',
    versionArgs: ['version'],
    saturate: (url, connections, seconds) => [
      'load',
      '-quiet',
      '-qps',
      '0',
      '-c',
      String(connections),
      '-t',
      `${seconds}s`,
      url,
    ],
    paced: (url, connections, seconds, rate) => [
      'load',
      '-quiet',
      '-qps',
      String(rate),
      '-c',
      String(connections),
      '-t',
      `${seconds}s`,
      url,
    ],
  },
  {
    name: 'hey',
    program: 'hey',
    versionArgs: ['-h'],
    saturate: (url, connections, seconds) => ['-cpus', '1', '-c', String(connections), '-z', `${seconds}s`, url],
    paced: () => null,
  },
  {
    name: 'oha',
    program: 'oha',
    versionArgs: ['--version'],
    saturate: (url, connections, seconds) => ['--no-tui', '-c', String(connections), '-z', `${seconds}s`, url],
    paced: (url, connections, seconds, rate) => [
      '--no-tui',
      '-c',
      String(connections),
      '-z',
      `${seconds}s`,
      '-q',
      String(rate),
      url,
    ],
    saturateH2: (url, connections, streams, seconds) => [
      '--no-tui',
      '--http2',
      '-c',
      String(connections),
      '-p',
      String(streams),
      '-z',
      `${seconds}s`,
      url,
    ],
  },
];

/** What the tool says of its version; null when it is not installed. */
export function versionOf({ program, versionArgs }: Peer): string | null {
  return toolVersion([program, versionArgs]);
}
