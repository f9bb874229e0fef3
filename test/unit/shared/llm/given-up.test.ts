import { describe, expect, it } from 'vitest';
import { isGivenUp } from '../../../../shared/llm/given-up.ts';

describe('isGivenUp', () => {
  it.each(['abort', 'ERROR', 'Cancelled', 'network_error', 'insufficient_system_resource'])(
    '%s is no end of an answer',
    (reason) => {
      expect(isGivenUp(reason)).toBe(true);
    },
  );

  it.each(['stop', 'length', 'tool_calls', 'content_filter', 'end_turn', 'max_tokens', 'a new one'])(
    '%s is an end',
    (reason) => {
      expect(isGivenUp(reason)).toBe(false);
    },
  );
});
