/**
 * The body of the next turn of a conversation: that of the turn before, with the answer it got and with what the user says next. Everything else
 * in the body stays as the plan wrote it. Tool calls and reasoning are not carried: they are not what a user's client sends back.
 */

import { assertNever } from '../assert-never.ts';
import { parseForWriting } from '../exact-json.ts';
import { asObject, type JsonObject } from './json-value.ts';
import type { LlmApi } from './stream-delta.ts';

/** What the next turn brings. */
export interface NextTurn {
  /** What the server answered. */
  readonly answer: string;
  /** What the user says. */
  readonly text: string;
  /** Member of the body, and its value, that says how long the answer may be; null = as before. */
  readonly tokens: { readonly member: string; readonly count: number } | null;
}

/** APIs whose body can hold a conversation. */
export function holdsConversation(api: LlmApi): boolean {
  return api !== 'completions';
}

/** The next body as JSON; null where the body before holds no conversation that could go on, or the answer is none that can be sent back. */
export function nextBody(api: LlmApi, body: string, turn: NextTurn): string | null {
  const before = bodyBefore(body);
  if (before === null) return null;
  const messages = messagesOf(api, before);
  if (messages === null) return null;
  // The messages API refuses a turn without text, as an answer of tool calls or reasoning alone would be.
  if (api === 'messages' && turn.answer.trim() === '') return null;
  const said = [...messages, { role: 'assistant', content: turn.answer }, { role: 'user', content: turn.text }];
  const tokens = turn.tokens === null ? {} : { [turn.tokens.member]: turn.tokens.count };
  return JSON.stringify({ ...before, [memberOf(api)]: said, ...tokens });
}

function bodyBefore(body: string): JsonObject | null {
  try {
    return asObject(parseForWriting(body));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function memberOf(api: LlmApi): string {
  return api === 'responses' ? 'input' : 'messages';
}

function messagesOf(api: LlmApi, body: JsonObject): readonly unknown[] | null {
  switch (api) {
    case 'chat':
    case 'messages':
      return listOf(body['messages']);
    case 'responses':
      return typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : listOf(body['input']);
    case 'completions':
      return null;
    default:
      return assertNever(api);
  }
}

function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) && value.every((item) => asObject(item) !== null) ? value : null;
}
