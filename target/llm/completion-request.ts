/** What a request to the reference LLM target asks for, read from its path and JSON body; wrong bodies get the API's own kind of error. */

/** The APIs the target speaks. */
export type LlmApi = 'chat' | 'completions' | 'responses' | 'messages';

const API_OF_PATH: Readonly<Record<string, LlmApi>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
};

/** The API that serves `path`, or null. */
export function apiOfPath(path: string): LlmApi | null {
  return API_OF_PATH[path] ?? null;
}

/** A request, read and checked. */
export interface CompletionRequest {
  readonly api: LlmApi;
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Running counts in every chunk, as vLLM gives them: only where usage is asked for at all, and only in chat and completions. */
  readonly continuousUsage: boolean;
  /** Upper bound of tokens to generate; null = the server's own length. */
  readonly tokensMax: number | null;
  /** True: exactly `tokensMax` tokens. */
  readonly ignoreEos: boolean;
  /** Words of all prompt texts: this server's tokens. */
  readonly promptTokens: number;
  /** All prompt texts, to recognise a prompt that came before. */
  readonly promptText: string;
}

/** Most tokens one answer can have. */
const TOKENS_MAX = 1_000_000;

/** Reads a body. Returns why it is refused, as text for the error answer. */
export function readCompletionRequest(api: LlmApi, body: string): CompletionRequest | { readonly refused: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { refused: 'the body is not JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { refused: 'the body is not a JSON object' };
  const fields = parsed as Record<string, unknown>;
  const tokensMax = fields['max_completion_tokens'] ?? fields['max_output_tokens'] ?? fields['max_tokens'] ?? null;
  if (
    tokensMax !== null &&
    !(Number.isInteger(tokensMax) && (tokensMax as number) >= 1 && (tokensMax as number) <= TOKENS_MAX)
  ) {
    return { refused: `max tokens ${JSON.stringify(tokensMax)} is not an integer in 1..${TOKENS_MAX}` };
  }
  const prompt = api === 'completions' ? fields['prompt'] : api === 'responses' ? fields['input'] : fields['messages'];
  if (prompt === undefined)
    return { refused: `${api === 'completions' ? 'prompt' : api === 'responses' ? 'input' : 'messages'} is missing` };
  const promptText = textIn([fields['system'], fields['instructions'], prompt]);
  const options = optionsOf(fields['stream_options']);
  const isOpenAi = api === 'chat' || api === 'completions';
  const includeUsage = !isOpenAi || options['include_usage'] === true;
  return {
    api,
    model: typeof fields['model'] === 'string' ? fields['model'] : 'reference',
    stream: fields['stream'] === true,
    includeUsage,
    continuousUsage: isOpenAi && includeUsage && options['continuous_usage_stats'] === true,
    tokensMax: tokensMax as number | null,
    ignoreEos: fields['ignore_eos'] === true,
    promptTokens: promptText.split(/\s+/).filter((word) => word !== '').length,
    promptText,
  };
}

function optionsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** All texts in a prompt of any shape, keys left out. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return `${value} `;
  if (typeof value === 'number') return `${value} `;
  if (Array.isArray(value)) return value.map(textIn).join('');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .filter(([key]) => key === 'content' || key === 'text' || key === 'input')
    .map(([, part]) => textIn(part))
    .join('');
}
