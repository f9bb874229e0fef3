/**
 * What bundling k tokens into a chunk does to "inter-token latency", settled by simulation (M§10): seeded streams under independent,
 * correlated and stalled token gaps, read as a client reads them: once as chunk gaps, once as time per token. Pure: no clock, no socket.
 */
import { GammaDraws } from '../../shared/random/gamma-draw.ts';
import { trialFieldOf } from '../../shared/random/counter-domain.ts';
import { philox4x32 } from '../../shared/random/philox.ts';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import { u53 } from '../../shared/random/u53.ts';

/** A law of token gaps, ms. */
export type GapLaw =
  | { readonly kind: 'normal'; readonly mean: number; readonly deviation: number; readonly phi: number }
  | { readonly kind: 'gamma'; readonly mean: number; readonly shape: number }
  | { readonly kind: 'lognormal'; readonly mean: number; readonly deviation: number }
  /** Normal gaps, and a stall of `stall` ms with probability `share` at each token. */
  | {
      readonly kind: 'stall';
      readonly mean: number;
      readonly deviation: number;
      readonly stall: number;
      readonly share: number;
    };

/** The shape of an experiment. */
export interface BundlingOptions {
  readonly streams: number;
  readonly tokens: number;
  /** Tokens a chunk carries; the first chunk carries as many (a flush every k tokens). */
  readonly bundle: number;
  readonly seed: bigint;
}

/** What a client measures, ms. */
export interface BundlingResult {
  /** Chunk gaps: what "ITL per chunk" has for samples. */
  readonly samples: number;
  readonly meanGap: number;
  readonly p99Gap: number;
  /** Mean of (last - first) / (n - 1) and of (last - first) / (n - n1). */
  readonly tpot: number;
  readonly tpotN1: number;
  /** Var(chunk gap) / (k Var(token gap)): 1 = independent, k = all gaps of a chunk alike. */
  readonly varianceRatio: number;
}

/** Simulates streams under `law` and reads them in chunks of `bundle` tokens; the same seed has the same token gaps for every bundle. */
export function simulateBundling(law: GapLaw, options: BundlingOptions): BundlingResult {
  const { streams, tokens, bundle } = options;
  const gapsPerStream = tokens - 1;
  const chunksPerStream = Math.floor(tokens / bundle) - 1;
  const chunkGaps = new Float64Array(streams * chunksPerStream);
  const tokenMoments = new Moments();
  let spans = 0;
  let samples = 0;
  const next = gapSource(law, options.seed);
  for (let stream = 0; stream < streams; stream += 1) {
    let inChunk = 0;
    let sum = 0;
    for (let gap = 0; gap < gapsPerStream; gap += 1) {
      const gapMs = next(gap === 0);
      tokenMoments.add(gapMs);
      // The gaps inside the first chunk lie before its flush.
      if (gap < bundle - 1) continue;
      sum += gapMs;
      inChunk += 1;
      if (inChunk < bundle) continue;
      chunkGaps[samples] = sum;
      samples += 1;
      spans += sum;
      sum = 0;
      inChunk = 0;
    }
  }
  const chunkMoments = new Moments();
  for (const gapMs of chunkGaps) chunkMoments.add(gapMs);
  chunkGaps.sort();
  const sent = bundle * (chunksPerStream + 1);
  return {
    samples,
    meanGap: chunkMoments.mean,
    p99Gap: chunkGaps[Math.ceil(0.99 * samples) - 1] as number,
    tpot: spans / streams / (sent - 1),
    tpotN1: spans / streams / (sent - bundle),
    varianceRatio: chunkMoments.variance / (bundle * tokenMoments.variance),
  };
}

class Moments {
  #count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.#count += 1;
    this.#sum += value;
    this.#squares += value * value;
  }

  get mean(): number {
    return this.#sum / this.#count;
  }

  get variance(): number {
    return this.#squares / this.#count - this.mean ** 2;
  }
}

/** Token gaps one after the other; told when a stream begins. */
function gapSource(law: GapLaw, seed: bigint): (isFirst: boolean) => number {
  const key = seedFromBigInt(seed);
  const words = new Uint32Array(4);
  let draw = 0;
  const unit = (): number => {
    philox4x32(draw, 0, 0, 0, key.lo, key.hi, words);
    draw += 1;
    return u53(words[0] as number, words[1] as number);
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
  switch (law.kind) {
    case 'normal': {
      let state = 0;
      return (isFirst) => {
        const fresh = normal();
        state = isFirst ? fresh : law.phi * state + Math.sqrt(1 - law.phi * law.phi) * fresh;
        return law.mean + law.deviation * state;
      };
    }
    case 'gamma': {
      const draws = new GammaDraws(key, trialFieldOf(0, 0), law.shape);
      let index = 0;
      return () => (draws.draw(index++) * law.mean) / law.shape;
    }
    case 'lognormal': {
      const variance = Math.log(1 + (law.deviation / law.mean) ** 2);
      const sigma = Math.sqrt(variance);
      return () => law.mean * Math.exp(sigma * normal() - variance / 2);
    }
    case 'stall':
      return () => law.mean + law.deviation * normal() + (unit() < law.share ? law.stall : 0);
  }
}

/** The laws of the experiment, by name. Mean 10 ms and deviation 20 ms where not said otherwise, as in the question it settles. */
export const GAP_LAWS: readonly (readonly [name: string, law: GapLaw])[] = [
  ['independent normal', { kind: 'normal', mean: 10, deviation: 20, phi: 0 }],
  ['independent gamma', { kind: 'gamma', mean: 10, shape: 0.25 }],
  ['independent lognormal', { kind: 'lognormal', mean: 10, deviation: 20 }],
  ['AR(1) normal, phi 0.2', { kind: 'normal', mean: 10, deviation: 20, phi: 0.2 }],
  ['AR(1) normal, phi 0.5', { kind: 'normal', mean: 10, deviation: 20, phi: 0.5 }],
  ['AR(1) normal, phi 0.9', { kind: 'normal', mean: 10, deviation: 20, phi: 0.9 }],
  ['10 +- 1, stall 500 at 0.5 %', { kind: 'stall', mean: 10, deviation: 1, stall: 500, share: 0.005 }],
  ['10 +- 1, stall 100 at 2 %', { kind: 'stall', mean: 10, deviation: 1, stall: 100, share: 0.02 }],
  ['10 +- 1, stall 2000 at 0.1 %', { kind: 'stall', mean: 10, deviation: 1, stall: 2000, share: 0.001 }],
];

/** The table of `docs/bundled-tokens.md`: stream interval 1 against 8. */
export function bundlingTable(options: Omit<BundlingOptions, 'bundle'>): string {
  const rows = GAP_LAWS.map(([name, law]) => {
    const one = simulateBundling(law, { ...options, bundle: 1 });
    const eight = simulateBundling(law, { ...options, bundle: 8 });
    const cells = [
      name,
      `${one.samples} / ${eight.samples}`,
      `${one.meanGap.toFixed(1)} / ${eight.meanGap.toFixed(1)}`,
      `${one.p99Gap.toFixed(1)} / ${eight.p99Gap.toFixed(1)}`,
      `${(eight.p99Gap / one.p99Gap).toFixed(1)}x`,
      `${one.tpot.toFixed(2)} / ${eight.tpot.toFixed(2)}`,
      eight.tpotN1.toFixed(2),
      eight.varianceRatio.toFixed(2),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| token gaps, ms | samples, k = 1 / 8 | mean chunk gap | p99 chunk gap | p99 ratio | TPOT | (n - n1) form, k = 8 | VR(8) |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
