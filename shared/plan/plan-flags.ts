/**
 * The flags of `run` that say something about the plan, and their environment variables. One table: the command line offers
 * them, and `plan-from-flags.ts` writes them into the tree of the plan.
 */

/** One flag. */
export interface PlanFlag {
  /** Without the dashes. */
  readonly name: string;
  /** What it takes, for the help; null for a flag that is just there. */
  readonly argument: string | null;
  /** May be given more than once. */
  readonly repeats: boolean;
  readonly meaning: string;
}

function flag(name: string, argument: string | null, meaning: string): PlanFlag {
  return { name, argument, repeats: false, meaning };
}

function repeatedFlag(name: string, argument: string, meaning: string): PlanFlag {
  return { name, argument, repeats: true, meaning };
}

/** Every flag that changes the plan, in the order of the help. */
export const PLAN_FLAGS: readonly PlanFlag[] = [
  flag('url', 'url', 'target and, without a plan file, path and query of the one request'),
  flag('method', 'method', 'HTTP method (default: GET)'),
  repeatedFlag('header', 'name: value', 'header of the request; may be repeated'),
  flag('body', 'text', 'body of the request'),
  flag('body-file', 'file', 'file whose bytes are the body'),
  flag('llm', 'api', 'the request goes to an LLM server: chat, completions, responses or messages'),
  flag('model', 'name', 'model of an LLM request (default: default)'),
  flag('prompt', 'text', 'prompt of an LLM request; may hold {{column}}'),
  flag('max-tokens', 'number', 'most output tokens of an LLM answer'),
  flag('ignore-eos', null, 'LLM answers go on to max-tokens'),
  flag('stream', 'true|false', 'ask for LLM answers as event streams (default: true)'),
  flag('extra-body', 'json', 'more members of the body of an LLM request'),
  flag('api-key-env', 'variable', 'environment variable with the API key of an LLM request'),
  flag('rate', 'rate', 'arrivals per second over the whole fleet, e.g. 2000 or 6000/min'),
  flag('duration', 'duration', 'length of the load, e.g. 30s or 1m30s'),
  flag('count', 'number', 'exactly this many arrivals'),
  flag('arrivals', 'law', 'poisson, even, gamma:BURSTINESS, all-at-once or closed:SLOTS (default: poisson)'),
  flag(
    'mode',
    'mode',
    'single-stream, closed-loop, server or offline; stands for the arrivals, or is held against them',
  ),
  flag('warmup', 'duration', 'a warm-up at the same rate before the load, kept out of the results'),
  flag('agents', 'number', 'agent processes (default: 1)'),
  flag('workers', 'number', 'worker threads per agent (default: cores - 1)'),
  flag('connections', 'number', 'connections per worker (default: max-in-flight)'),
  flag('max-in-flight', 'number', 'open requests per worker (default: 10000)'),
  flag('timeout', 'duration', 'from send to the end of the answer (default: 30s)'),
  flag('drain', 'duration', 'how long open requests may end after the load (default: timeout)'),
  flag('pacing', 'mode', 'auto, hybrid, spin or timer (default: auto)'),
  flag('seed', 'number', 'fixes everything random; chosen and printed when not given'),
  flag('client', 'client', 'auto, wire or undici (default: auto)'),
  flag('http', 'version', 'auto, 1.1 or 2 (default: auto)'),
  flag('identify', null, 'send the identity of each arrival as header loadfleet-id'),
  flag('insecure', null, 'accept any certificate'),
  repeatedFlag('slo', 'metric:duration', 'bound per request for goodput, e.g. response:200ms; may be repeated'),
  repeatedFlag('threshold', 'bound', "bound for the run, e.g. 'p99(response)<50ms'; may be repeated"),
  flag('fail-on', 'verdict', 'invalid, degraded or never (default: invalid)'),
  flag('on-agent-loss', 'policy', 'abort or continue (default: continue)'),
  repeatedFlag('scrape', 'url', "page of the server's own numbers to read, e.g. /metrics; may be repeated"),
  flag('out', 'folder', 'where the results go (default: loadfleet-results/RUN)'),
  flag('per-request', null, 'write requests.jsonl, a line for each of at most 100000 requests'),
  flag('quiet', null, 'no progress and no plan on the console'),
];

/** Values of the flags given, in order, by name; a flag that is just there has the value `true`. */
export type FlagValues = ReadonlyMap<string, readonly string[]>;

/** `LOADFLEET_RATE` for `rate`. Flags that repeat have no variable. */
export function variableOfFlag(name: string): string {
  return `LOADFLEET_${name.toUpperCase().replaceAll('-', '_')}`;
}
