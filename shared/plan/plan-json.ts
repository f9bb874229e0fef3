/**
 * The typed plan as JSON bytes and back: how it travels from the command line to the coordinator and from there to the agents.
 * Decoding is strict: an unknown, missing or wrong member is refused, so a peer of another version cannot half-understand a plan.
 * Not the format users write (that is YAML, `parse-plan.ts`). The only file that sees zod.
 */

import * as z from 'zod';
import { FleetError } from '../fleet-error.ts';
import { LLM_APIS } from '../llm/stream-delta.ts';
import { laneCountMax } from '../schedule/deal.ts';
import { knotsMax, ratePerSecondMax } from '../schedule/rate-curve.ts';
import { PLAN_COUNTS, PLAN_TIMES } from './plan-limits.ts';
import type { Plan } from './plan.ts';

const text = z.string();
const count = z.int().min(0);
const times = z.int().min(0);
const blobRef = z.strictObject({
  name: text,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.int().min(0).max(PLAN_COUNTS.blobBytesMax),
});

const knots = z
  .array(
    z.strictObject({ tSeconds: z.number().min(0), ratePerSecond: z.number().min(0).max(ratePerSecondMax) }).readonly(),
  )
  .min(2)
  .max(knotsMax)
  .readonly();

const arrivals = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('poisson'), knots }),
  z.strictObject({ kind: z.literal('poisson-count'), knots, count }),
  z.strictObject({ kind: z.literal('even'), knots }),
  z.strictObject({ kind: z.literal('trace'), instants: blobRef, count }),
  z.strictObject({ kind: z.literal('all-at-once'), count }),
  z.strictObject({
    kind: z.literal('gamma'),
    ratePerSecond: z.number().min(0),
    burstiness: z.number().positive(),
    count: count.exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('closed'),
    concurrency: z.int().min(1).max(laneCountMax),
    thinkNs: times,
    count: count.nullable(),
  }),
]);

const phase = z.strictObject({
  name: text,
  warmup: z.boolean(),
  startNs: times,
  durationNs: times,
  arrivals,
});

const requestTemplate = z.strictObject({
  name: text.min(1),
  weight: z.number().positive(),
  method: text.min(1),
  url: text.min(1),
  headers: z.array(z.tuple([text, text]).readonly()).readonly(),
  body: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('text'), text }),
    z.strictObject({ kind: z.literal('file'), file: blobRef }),
  ]),
  expect: z.strictObject({
    status: z.array(z.tuple([z.int(), z.int()]).readonly()).readonly(),
    decoded: z.boolean(),
  }),
  llm: z
    .strictObject({
      api: z.enum(LLM_APIS),
      model: text,
      stream: z.boolean(),
      strictEnd: z.boolean(),
      exactTokens: z.union([count, text]).nullable(),
      tokenizer: z.strictObject({ name: text.min(1), file: blobRef.nullable() }).nullable(),
      session: z.strictObject({ tokensMember: text.nullable() }).nullable(),
    })
    .nullable(),
});

const target = z.strictObject({
  url: text.min(1),
  client: z.enum(['auto', 'undici', 'wire']),
  identify: z.boolean(),
  tlsServerName: text.nullable(),
  insecure: z.boolean(),
  connectTo: text.nullable(),
  proxy: text.min(1),
  httpVersion: z.enum(['1.1', '2', 'auto']),
});

const lengths = z.strictObject({
  mean: z.number().min(0),
  min: count,
  p50: count,
  p90: count,
  p99: count,
  max: count,
});

const dataset = z.strictObject({
  kind: text,
  source: text,
  parameters: z.record(text, z.union([text, z.number(), z.boolean(), z.null()])).readonly(),
  leftOut: z.record(text, count).readonly(),
  description: z.strictObject({
    rows: count,
    inputTokens: lengths,
    outputTokens: lengths.nullable(),
    uniquePrompts: count,
    prefixReuse: z.number().min(0).max(1),
    sessions: count,
  }),
  recipe: z.strictObject({ column: count, salt: text }).nullable(),
});

const data = z.strictObject({
  file: blobRef,
  columns: z.array(text).min(1).readonly(),
  rowCount: z.int().min(1),
  rows: z.enum(['cycle', 'once', 'random', 'in-order']),
  dataset: dataset.nullable(),
});

const limits = z.strictObject({
  maxInFlight: z.int().min(1).max(PLAN_COUNTS.inFlightMax),
  maxQueue: z.int().min(0).max(PLAN_COUNTS.queueMax).nullable(),
  connections: z.int().min(1).max(PLAN_COUNTS.inFlightMax),
  connectionAgeNs: z.int().min(1).nullable(),
  timeoutNs: z.int().min(1),
  idleTimeoutNs: z.int().min(1).nullable(),
  drainNs: times,
  phaseGraceNs: times,
  late: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('send') }),
    z.strictObject({ kind: z.literal('drop-after'), lateNs: times }),
  ]),
});

const fleet = z.strictObject({
  agents: z.int().min(1).max(PLAN_COUNTS.agentsMax),
  workers: z.int().min(1).max(PLAN_COUNTS.workersMax).nullable(),
  pacing: z.enum(['auto', 'hybrid', 'spin', 'timer']),
  leaseNs: z.int().min(1),
  onAgentLoss: z.enum(['abort', 'continue', 'redeal']),
  startLeadNs: times.nullable(),
  armTimeoutNs: z.int().min(1),
});

const statistic = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('percentile'), percentile: z.number().gt(0).max(100), metric: text }),
  z.strictObject({ kind: z.enum(['mean', 'min', 'max']), metric: text }),
  z.strictObject({ kind: z.literal('share'), book: text }),
  z.strictObject({ kind: z.literal('count'), book: text }),
  z.strictObject({ kind: z.literal('rate'), of: text }),
]);

const threshold = z.strictObject({
  text,
  statistic,
  comparison: z.enum(['<', '<=', '>', '>=']),
  bound: z.number(),
});

const seed = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,19})$/)
  .transform(BigInt)
  .refine((value) => value < 1n << 64n);

const plan = z.strictObject({
  name: text.min(1),
  seed,
  laneCount: z
    .int()
    .min(1)
    .max(laneCountMax)
    .refine((value) => Number.isInteger(Math.log2(value)), 'not a power of two'),
  target,
  requests: z.array(requestTemplate).min(1).max(PLAN_COUNTS.requestsMax).readonly(),
  data: data.nullable(),
  phases: z.array(phase).min(1).max(PLAN_COUNTS.phasesMax).readonly().refine(followEachOther, 'phases leave a gap'),
  limits,
  fleet,
  slo: z.array(z.strictObject({ metric: text, maxNs: times })).readonly(),
  thresholds: z.array(threshold).readonly(),
  failOn: z.enum(['invalid', 'degraded', 'never']),
  scrapes: z
    .array(
      z.strictObject({
        name: text.min(1),
        url: text.min(1),
        intervalNs: z.int().min(1),
        include: z.array(text).readonly(),
      }),
    )
    .max(PLAN_COUNTS.scrapesMax)
    .readonly(),
  output: z.strictObject({
    directory: text.nullable(),
    quiet: z.boolean(),
    perRequestLimit: z.int().min(1).max(PLAN_COUNTS.recordsMax).nullable(),
  }),
});

/** The plan as UTF-8 JSON; the seed is a decimal string. */
export function planToJson(value: Plan): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ ...value, seed: String(value.seed) }));
}

/**
 * Reads what `planToJson` wrote.
 * @throws FleetError 'protocol' with the first fault's path.
 */
export function planFromJson(bytes: Uint8Array): Plan {
  const result = plan.safeParse(parseJson(bytes));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new FleetError('protocol', `plan as JSON: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a plan'}`);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new FleetError('protocol', 'plan as JSON: not UTF-8 JSON text', { cause: error });
  }
}

function followEachOther(phases: readonly { readonly startNs: number; readonly durationNs: number }[]): boolean {
  let endNs = 0;
  return phases.every(({ startNs, durationNs }) => {
    const follows = startNs === endNs;
    endNs = startNs + durationNs;
    return follows && endNs <= PLAN_TIMES.runNsMax;
  });
}
