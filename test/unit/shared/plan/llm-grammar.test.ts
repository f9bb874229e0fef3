import { expect, it } from 'vitest';
import { LLM_APIS } from '../../../../shared/llm/stream-delta.ts';
import { llmField } from '../../../../shared/plan/llm-grammar.ts';

it('offers every API to editors', () => {
  expect(JSON.stringify(llmField.schema)).toContain(JSON.stringify(LLM_APIS));
});
