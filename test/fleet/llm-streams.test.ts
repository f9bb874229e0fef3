/** A smoke size of the streams bench: many streams open at once over a fleet, and every event of each is in the books. */
import { afterEach, expect, it } from 'vitest';
import { startLlmTarget } from '../../target/llm/llm-target.ts';
import { assertBalanced, removeResultFolders, type ResultFile, runCommand } from '../support/command-run.ts';

const STREAMS = 60;
const TOKENS = 40;
/** Of an answer: its tokens, the opening, the finish reason and the usage. */
const EVENTS = TOKENS + 3;

interface LlmCounts {
  readonly llm: {
    readonly counts: { readonly events: number; readonly chunks: number };
    readonly outputTokens: number;
  };
}

afterEach(removeResultFolders);

it('loses no event of streams that are open at once, by our books and by the count of the target', async () => {
  // An answer takes a second and all are asked for within half a one: most are open together.
  const target = await startLlmTarget({ firstToken: 'constant:200ms', gap: 'constant:20ms' });
  try {
    const load = ['--rate', String(2 * STREAMS), '--count', String(STREAMS), '--agents', '2', '--workers', '1'];
    const llm = ['--llm', 'chat', '--model', 'm', '--max-tokens', String(TOKENS), '--fail-on', 'never', '--quiet'];
    const { result, exitCode, stderr } = await runCommand(['run', '--url', target.url, ...llm, ...load]);
    expect(exitCode, stderr).toBe(0);
    const { accounting, metrics, ...rest } = result as ResultFile & LlmCounts;
    assertBalanced(accounting);
    expect([accounting.scheduled, accounting.ok]).toEqual([STREAMS, STREAMS]);
    expect(rest.llm.counts).toMatchObject({ events: STREAMS * EVENTS, chunks: STREAMS * TOKENS });
    expect(rest.llm.outputTokens).toBe(STREAMS * TOKENS);
    expect(target.counts().generationTokens).toBe(STREAMS * TOKENS);
    expect(metrics['chunkGap']?.count).toBe(STREAMS * (TOKENS - 1));
  } finally {
    await target.close();
  }
});
