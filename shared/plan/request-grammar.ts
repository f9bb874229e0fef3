/** The grammar of one request of `workload`: what is sent, and which answers are ok. */
import { headersField } from './header-field.ts';
import { parseMethod } from './http-syntax.ts';
import { llmField } from './llm-grammar.ts';
import { booleanField, fileNameField, numberField, placed, scalarField, textField } from './plan-field.ts';
import { PLAN_COUNTS } from './plan-limits.ts';
import { optional, optionalSection, recordField, type ValueOf } from './record-field.ts';
import { statusField } from './status-field.ts';

/** Keys of `workload[].expect`. */
export const expectKeys = {
  status: optional(
    statusField,
    'Statuses of an ok answer; others fail as http-status. Redirects are results and not followed.',
    [[200, 399]] as const,
    '200-399',
  ),
  decoded: optional(
    booleanField(),
    'Where the request has an Accept-Encoding: a body with a Content-Encoding is decoded, and one that is corrupt failed.',
    true,
    'true',
  ),
};

/** Keys of `workload[]`. */
export const requestKeys = {
  name: optional(
    textField({ max: 100, what: 'a name' }),
    'Name in the report. Results are kept by it, never by URL. Must differ from the others.',
    null,
    'method and path',
  ),
  weight: optional(
    numberField({ min: 0, aboveMin: true, max: 1e9 }),
    'Share of the arrivals, relative to the others.',
    1,
    '1',
  ),
  method: optional(
    scalarField('an HTTP method', { type: 'string' }, parseMethod),
    'HTTP method, as sent.',
    null,
    'GET; POST with llm',
  ),
  url: optional(
    placed(textField({ max: PLAN_COUNTS.urlLengthMax, what: 'a URL' })),
    'Path and query behind `target.url`, or a whole URL. Sent byte for byte. May hold `{{column}}`.',
    null,
    'target.url as it is',
  ),
  headers: optional(
    headersField,
    'Headers in the order sent. Values may hold `{{column}}`; a list sends the header again.',
    [],
    'none',
  ),
  body: optional(
    placed(textField({ min: 0, max: 1_048_576, what: 'text' })),
    'Body as text, sent as UTF-8. May hold `{{column}}`.',
    null,
    'none',
  ),
  bodyFile: optional(
    placed(fileNameField),
    'File whose bytes are the body, from the folder of the plan. Sent as it is.',
    null,
    'none',
  ),
  llm: optional(
    llmField,
    'The request goes to an LLM server: method, path, headers and body are made from this, and its answer is read token by token.',
    null,
    'none',
  ),
  expect: optionalSection(recordField(expectKeys, 'a mapping'), 'What makes an answer ok.'),
};

/** A request as written. */
export type RequestText = ValueOf<typeof requestKeys>;

/** One request of the workload. */
export const requestField = placed(recordField(requestKeys, 'requests'));
