import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnswerValues } from '../../shared/llm/answer-values.ts';
import { LlmAnswer } from '../../shared/llm/llm-answer.ts';
import { LLM_APIS } from '../../shared/llm/stream-delta.ts';
import { LLM_METRICS } from '../../shared/metrics/metric.ts';

const keys = fc.constantFrom(
  ...[
    'choices',
    'delta',
    'message',
    'content',
    'reasoning',
    'tool_calls',
    'function',
    'arguments',
    'name',
    'index',
    'usage',
  ],
  ...[
    'completion_tokens',
    'output_tokens',
    'error',
    'type',
    'response',
    'item',
    'output',
    'text',
    'finish_reason',
    'code',
  ],
  ...[
    'custom',
    'input',
    'thinking',
    'thinking_blocks',
    'audio',
    'transcript',
    'status',
    'msg',
    'total_tokens',
    'toJSON',
  ],
);
const words = fc.constantFrom(
  ...[
    'response.output_text.delta',
    'response.completed',
    'response.failed',
    'content_block_delta',
    'message_delta',
    'error',
    'ping',
    'queued',
    'tool_use',
    'x',
    '',
  ],
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.integer(),
    fc.boolean(),
    words,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(keys, tie('any'), { maxKeys: 5 }),
  ),
})).any;
const piece = fc.oneof(
  value.map((each) => `data: ${JSON.stringify(each)}\n\n`),
  value.map((each) => JSON.stringify(each)),
  fc.string(),
  fc.constantFrom('data: [DONE]\n\n', 'event: error\ndata: boom\n\n', '\r', ': c\n', 'error: boom\n\n', 'data:\n\n'),
);

it('an answer of any content is judged without a throw, and its times add up exactly (R046)', () => {
  const encoder = new TextEncoder();
  fc.assert(
    fc.property(
      fc.constantFrom(...LLM_APIS),
      fc.array(piece, { maxLength: 12 }),
      fc.boolean(),
      (api, pieces, strictEnd) => {
        const answer = new LlmAnswer({ api, stream: true, strictEnd });
        let tNs = 1000;
        for (const text of pieces) answer.take(encoder.encode(text), (tNs += 7));
        const judgement = answer.judge();
        expect(['ok', 'failed']).toContain(judgement.kind);
        answer.errorDetail();
        const values = new AnswerValues(answer, { intendedNs: 10, sendNs: 20, endNs: tNs });
        for (const metric of LLM_METRICS) {
          const found = values.valueOf(metric);
          expect(found === null || (Number.isSafeInteger(found) && found >= 0)).toBe(true);
        }
        const [ttft, last] = [values.valueOf('ttft'), values.valueOf('lastToken')];
        if (ttft !== null) expect(ttft + answer.clock.gaps.sum).toBe(last);
      },
    ),
    { numRuns: 1500 },
  );
});
