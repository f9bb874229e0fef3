import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LlmAnswer } from '../../../shared/llm/llm-answer.ts';
import { LLM_APIS, type LlmApi } from '../../../shared/llm/stream-delta.ts';

const encoder = new TextEncoder();

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(' the', 'a', ' token', 'x'.repeat(50)) },
  { weight: 2, arbitrary: fc.constantFrom('', 'é', '\u{1f600}', '"', '\\', '\n', '[DONE]', 'id-1', '\u007f') },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);

/** One event of an API that says `content`. */
function eventOf(api: LlmApi, content: string, id: string): string {
  const json = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  switch (api) {
    case 'chat':
      return json({ id, choices: [{ index: 0, delta: { content } }] });
    case 'completions':
      return json({ id, choices: [{ index: 0, text: content, finish_reason: null }] });
    case 'responses':
      return `event: response.output_text.delta\n${json({ type: 'response.output_text.delta', item_id: id, delta: content })}`;
    case 'messages':
      return `event: content_block_delta\n${json({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: content } })}`;
  }
}

const odd = fc.constantFrom(
  ': ping\n\n',
  ': ping\n',
  'data: [DONE]\n\n',
  'odd: 1\n',
  'data: {"error":{"message":"no"}}\n\n',
  'data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":9}}\n\n',
  '\n',
);

const stream = (api: LlmApi): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: fc.tuple(text, fc.constantFrom('id-1', 'id-1', 'id-1', 'id-2')) },
        { weight: 1, arbitrary: odd },
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.map((part) => (typeof part === 'string' ? part : eventOf(api, ...part))).join(''));

/** What an answer has come to. */
function factsOf(answer: LlmAnswer): unknown {
  const { clock, text: kept, comments, form } = answer;
  const { gaps, tokenGaps: _tokens, ...plain } = clock;
  const { length, count, sum, min, max } = gaps;
  return { plain, gaps: { length, count, sum, min, max }, kept, comments, form, judgement: answer.judge() };
}

it('an answer read in whole events is the same as one read byte by byte, in texts, times and counts (R051)', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LLM_APIS).chain((api) => fc.tuple(fc.constant(api), fc.array(stream(api), { maxLength: 4 }))),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      ([api, pieces], lineEnd, keepsText) => {
        const rules = { api, stream: true, strictEnd: false };
        const whole = new LlmAnswer(rules, undefined, keepsText);
        const bytewise = new LlmAnswer(rules, undefined, keepsText);
        let tNs = 1000;
        for (const piece of pieces.flatMap((each) => each.split(/(?<=\n\n)/))) {
          tNs += 7;
          const bytes = encoder.encode(piece.replaceAll('\n', lineEnd));
          whole.take(bytes, tNs);
          for (let at = 0; at < bytes.length; at += 1) bytewise.take(bytes.subarray(at, at + 1), tNs);
        }
        expect(factsOf(whole)).toEqual(factsOf(bytewise));
      },
    ),
    { numRuns: 1500 },
  );
});
