/** The files of a run against an LLM server, made by a whole worker in virtual time. `vitest run -u test/golden` writes them anew. */
import { describe, expect, it } from 'vitest';
import { TokenCounting } from '../../../agent/merge/token-counting.ts';
import { WorkerMerge } from '../../../agent/merge/worker-merge.ts';
import { createRunMerge } from '../../../coordinator/merge/run-merge.ts';
import { RequestLines } from '../../../coordinator/report/request-line.ts';
import { RECORD_WIDTH } from '../../../shared/metrics/request-record.ts';
import type { FakeAnswer } from '../../support/fake-client.ts';
import { createLlmRequest, createPlan, createRequestTemplate } from '../../support/plan-fixture.ts';
import { requestLinesOf } from '../../support/request-lines.ts';
import { checkedResult } from '../../support/result-of.ts';
import { DONE, FINISH, textChunk, usageChunk } from '../../support/sse-text.ts';
import { syntheticRun } from '../../support/synthetic-run.ts';
import { TrialSimulation } from '../../support/trial-simulation.ts';

const MS = 1e6;
const base = createPlan({ ratePerSecond: 8, durationNs: 10e9 });
const plan = {
  ...base,
  name: 'golden-llm',
  requests: [
    createRequestTemplate({
      name: 'talk',
      method: 'POST',
      url: 'http://127.0.0.1:9/v1/chat/completions',
      llm: createLlmRequest({ tokenizer: { name: 'words', file: null } }),
    }),
  ],
  slo: [
    { metric: 'ttft', maxNs: 120 * MS },
    { metric: 'tpot', maxNs: 12 * MS },
  ],
  output: { ...base.output, perRequestLimit: 1000 },
};

/** Twenty tokens of 10 ms after 50 to 150 ms; each tenth stream is cut, each seventh has no usage, each fifth two tokens a chunk. */
function answer(index: number): FakeAnswer {
  const bundle = index % 5 === 4 ? 2 : 1;
  const chunks = Array.from({ length: 20 / bundle }, (_, chunk) => ({
    ns: chunk * bundle * 10 * MS,
    text: textChunk('x '.repeat(bundle)),
  }));
  const serviceNs = (50 + (index % 11) * 10) * MS;
  if (index % 10 === 9) return { serviceNs, pieces: chunks.slice(0, 5), bodyNs: 60 * MS };
  const usage = index % 7 === 6 ? '' : usageChunk(100, 20);
  return { serviceNs, pieces: [...chunks, { ns: 200 * MS, text: FINISH + usage + DONE }], bodyNs: 201 * MS };
}

describe('the files of a run against an LLM server', () => {
  const { record, slots } = syntheticRun({ plan, agents: 1 });
  const ofWorker = new WorkerMerge([0], new TokenCounting(plan, new Map()));
  new TrialSimulation({
    plan,
    answer,
    recordLimit: 1000,
    onHandover: (handover) => ofWorker.take(0, handover),
  }).run();
  ofWorker.finish(0);
  const lines = new RequestLines(plan, 0, (text) => text);
  let text = '';
  const merge = createRunMerge({
    runId: record.runId,
    trial: record.trial,
    plan,
    slots,
    onRequests: (source, rows) => {
      for (let at = 0; at < rows.length; at += RECORD_WIDTH) text += lines.lineOf(source, rows, at);
    },
  });
  const key = { runId: record.runId, trial: record.trial, agentId: 'agent-1', incarnation: 'i1', seq: 1 };
  const applied = merge.apply({ key, ...ofWorker.takeReport(true) });
  const written = requestLinesOf(text).length;
  const requestFile = { path: 'requests.jsonl', written, leftOut: 0, problem: null };
  const { files, value } = checkedResult({ ...record, durationNs: 11e9, requestFile }, merge);

  it('is a run whose books balance, and whose lines are its books', () => {
    expect(applied).toEqual({ kind: 'applied' });
    expect(value.accounting.attempted).toBe(written);
    expect(value.verdict.gates.find(({ name }) => name === 'books-balance')?.kind).toBe('pass');
    expect(value.verdict.gates.find(({ name }) => name === 'token-counts')?.kind).toBe('warn');
  });

  it.each(['summary.txt', 'llm-vllm.json'])('%s is as it was', async (name) => {
    await expect(files.get(name)).toMatchFileSnapshot(`llm-files/${name}`);
  });

  it('requests.jsonl is as it was', async () => {
    await expect(text.split('\n').slice(0, 12).join('\n')).toMatchFileSnapshot('llm-files/requests-first-12.jsonl');
  });
});
