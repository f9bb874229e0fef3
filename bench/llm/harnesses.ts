/**
 * Our fleet and the Python harnesses that are installed, in turn: the same streams (200 tokens, the first after 5 ms, then one every 5 ms)
 * from the reference LLM target on one core, each harness with all its processes on another. Tokens are counted by the target and CPU
 * time by the system, both in the middle of a run, so that neither a start nor a report is in them. What the harness told of the
 * times stands beside it: the truth is 5 ms each.
 * Usage: node bench/llm/harnesses.ts [--rates 1000,3000,10000] [--seconds 20] [--only NAMES]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toolVersion } from '../versus/tool-version.ts';
import { STREAM_HARNESSES, type StreamHarness, toldFigures } from './stream-harnesses.ts';
import { onCore, TargetProcess } from './target-process.ts';
import { middlePace, type TokenSample } from './token-pace.ts';
import { watchedProcess } from './watched-process.ts';
import { writeWordTokenizer } from './word-tokenizer.ts';

const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '1000,3000,10000' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string' },
  },
});

const TOKENS_PER_STREAM = 200;
const SAMPLE_SECONDS = 0.5;
const isSplit = availableParallelism() > 1;
const TARGET_CORE = isSplit ? '0' : null;
const CLIENT_CORE = isSplit ? '1' : null;

/** One run; the line that tells it. */
async function runOne(harness: StreamHarness, tokensPerSecond: number, folder: string): Promise<string> {
  const streamsPerSecond = tokensPerSecond / TOKENS_PER_STREAM;
  const streams = Math.round(streamsPerSecond * Number(values.seconds));
  const target = await TargetProcess.start(['--ttft', 'constant:5ms', '--gap', 'constant:5ms'], TARGET_CORE);
  try {
    mkdirSync(folder);
    const tokenizerFolder = join(folder, '..', 'tokenizer');
    const { url } = target;
    const load = { url, tokenizerFolder, streams, streamsPerSecond, tokensPerStream: TOKENS_PER_STREAM };
    const samples: Promise<readonly TokenSample[]>[] = [];
    await watchedProcess(
      onCore(CLIENT_CORE, harness.command(load, folder)),
      SAMPLE_SECONDS,
      ({ atSeconds, cpuSeconds }) => {
        const tokens = target.generatedTokens();
        // A target that is gone is told by what follows the run.
        samples.push(tokens.then((count) => [{ atSeconds, cpuSeconds, tokens: count }]).catch(() => []));
      },
    );
    const pace = middlePace((await Promise.all(samples)).flat(), streams * TOKENS_PER_STREAM);
    const generated = await target.generatedTokens();
    const { ok, ttftP50Ms, ttftP99Ms, gapMeanMs } = toldFigures(harness, folder);
    const figures = [
      `${pace.tokensPerSecond.toFixed(0).padStart(7)} tokens/s`,
      `CPU ${(100 * pace.cpuShare).toFixed(0).padStart(3)} %`,
      `${(pace.tokensPerSecond / pace.cpuShare).toFixed(0).padStart(7)} tokens per CPU second`,
      `told: TTFT p50 ${ttftP50Ms.toFixed(2).padStart(8)} p99 ${ttftP99Ms.toFixed(2).padStart(8)} ms, gap ${gapMeanMs.toFixed(3)} ms`,
      ok === streams && generated === streams * TOKENS_PER_STREAM
        ? 'all there'
        : `${ok} ok of ${streams}, ${generated} tokens generated`,
    ];
    return figures.join('  ');
  } finally {
    await target.stop();
  }
}

const wanted = values.only?.split(',');
const found = STREAM_HARNESSES.filter((harness) => {
  if (wanted !== undefined && !wanted.includes(harness.name)) return false;
  const version = toolVersion(harness.version);
  console.log(`${harness.name.padEnd(14)} ${version ?? 'not installed'}`);
  return version !== null;
});
const rates = values.rates.split(',').map(Number);
console.log(
  `about ${Math.ceil((rates.length * found.length * (Number(values.seconds) + 30)) / 60)} minutes; target on core ${TARGET_CORE ?? '-'}, harness on core ${CLIENT_CORE ?? '-'}`,
);
const folder = mkdtempSync(join(tmpdir(), 'loadfleet-harnesses-'));
try {
  writeWordTokenizer(join(folder, 'tokenizer'));
  for (const rate of rates) {
    for (const harness of found) {
      const line = await runOne(harness, rate, join(folder, `${harness.name}-${rate}`)).catch(
        (error: unknown) => `FAILED: ${error instanceof Error ? error.message : String(error)}`,
      );
      console.log(`${String(rate).padStart(7)} asked  ${harness.name.padEnd(14)} ${line}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
