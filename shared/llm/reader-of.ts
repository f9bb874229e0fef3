/** The reader of each API: the only place that knows all of them. */

import { assertNever } from '../assert-never.ts';
import { messagesReader } from './messages-reader.ts';
import { openAiReader } from './openai-reader.ts';
import { responsesReader } from './responses-reader.ts';
import type { LlmApi, StreamReader } from './stream-delta.ts';

/** The reader of `api`; readers keep no state and are shared by all streams. */
export function readerOf(api: LlmApi): StreamReader {
  switch (api) {
    case 'chat':
    case 'completions':
      return openAiReader;
    case 'responses':
      return responsesReader;
    case 'messages':
      return messagesReader;
    default:
      return assertNever(api);
  }
}
