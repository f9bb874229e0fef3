/** From the workload as written to request templates: URLs joined, templates and header values checked, body files taken in. */

import { FleetError } from '../fleet-error.ts';
import { checkAbsoluteUrl, checkHeaderValue, checkPathAndQuery } from './http-syntax.ts';
import { expandLlm, llmRequestOf } from './llm-request.ts';
import type { RequestText } from './request-grammar.ts';
import { tokenCounterOf } from '../llm-workload/token-counter.ts';
import type { RequestBody, RequestTemplate, TokenizerRef } from './plan.ts';
import type { Place } from './plan-field.ts';
import type { BlobCollector } from './plan-sources.ts';
import type { ProblemList } from './problem-list.ts';
import { type CompiledTemplate, compileTemplate } from './template.ts';

/** A request as read, with its place. */
export interface PlacedRequest {
  readonly value: RequestText;
  readonly place: Place;
}

/** What requests are made with. */
export interface RequestContext {
  /** `target.url`. */
  readonly targetUrl: string;
  /** Columns of the data file; empty without one. */
  readonly columns: readonly string[];
  /** Rows may be sessions of several turns. */
  readonly hasLaterTurns: boolean;
  readonly blobs: BlobCollector;
  readonly problems: ProblemList;
  /** Where API keys are; null: they are not looked up. */
  readonly environment: Readonly<Record<string, string | undefined>> | null;
  /** Receives API keys. */
  readonly secrets: Set<string>;
}

/** A template whose row values go onto the wire as they are, so that the rows must be checked too. */
export interface RawTemplate {
  readonly template: CompiledTemplate;
  readonly place: Place;
  readonly kind: 'url' | 'header';
}

/** The requests, and the templates that put row values into URLs and headers. */
export interface BuiltRequests {
  readonly requests: readonly RequestTemplate[];
  readonly rawTemplates: readonly RawTemplate[];
}

/** Builds the workload; faults become problems. */
export function buildRequests(written: readonly PlacedRequest[], context: RequestContext): BuiltRequests {
  const texts = written.map(({ value, place }) => ({ value: expandLlm(value, place, context), place }));
  const requests: RequestTemplate[] = [];
  const rawTemplates: RawTemplate[] = [];
  const names = requestNames(texts, context.problems);
  for (const [index, { value, place }] of texts.entries()) {
    const urlPlace = value.url?.place ?? place;
    const problemsBefore = context.problems.count;
    const url = requestUrl(value.url?.value ?? null, context.targetUrl);
    const urlTemplate = attempt(context, urlPlace, () => {
      if (value.url?.value.startsWith('/') === true && context.targetUrl.includes('?')) {
        throw new FleetError(
          'plan',
          'cannot stand behind target.url, which has a query; move the query to the request',
        );
      }
      return compileUrl(url, context.columns);
    });
    if (urlTemplate !== null) rawTemplates.push({ template: urlTemplate, place: urlPlace, kind: 'url' });
    for (const header of value.headers) {
      const template = attempt(context, header.place, () => compileHeader(header.value, context.columns));
      if (template !== null) rawTemplates.push({ template, place: header.place, kind: 'header' });
    }
    const body = buildBody(value, context);
    const tokenizer = buildTokenizer(value, context);
    if (context.problems.count > problemsBefore || body === null) continue;
    requests.push({
      name: names[index] as string,
      weight: value.weight,
      method: methodOf(value),
      url,
      headers: value.headers.map((header) => [header.name, header.value] as const),
      body,
      expect: value.expect,
      llm: value.llm === null ? null : llmRequestOf(value.llm, context.hasLaterTurns, tokenizer),
    });
  }
  return { requests, rawTemplates };
}

/** A request's URL behind `target.url`, or that itself; only the slash between them is never doubled. */
function requestUrl(url: string | null, targetUrl: string): string {
  if (url === null) return /^[^:]*:\/\/[^/?]*$/.test(targetUrl) ? `${targetUrl}/` : targetUrl;
  if (!url.startsWith('/')) return url;
  return `${targetUrl.endsWith('/') ? targetUrl.slice(0, -1) : targetUrl}${url}`;
}

function compileUrl(url: string, columns: readonly string[]): CompiledTemplate {
  const template = compileTemplate(url, columns);
  const [first = ''] = template.texts;
  // Scheme, host and port must be known before the run; row values come behind them.
  if (template.places.length > 0 && !/^https?:\/\/[^/?#]+[/?]/i.test(first)) {
    throw new FleetError('plan', 'a {{column}} may stand in the path or query, not in the scheme, host or port');
  }
  if (!/^https?:\/\//i.test(first)) {
    throw new FleetError('plan', 'a request URL starts with / (behind target.url) or with http:// or https://');
  }
  checkAbsoluteUrl(first);
  for (const text of template.texts.slice(1)) checkPathAndQuery(text);
  return template;
}

function compileHeader(value: string, columns: readonly string[]): CompiledTemplate {
  const template = compileTemplate(value, columns);
  if (template.places.length === 0) checkHeaderValue(value);
  else for (const text of template.texts) checkHeaderValue(text.trim());
  return template;
}

function buildBody(value: RequestText, context: RequestContext): RequestBody | null {
  const { body, bodyFile } = value;
  if (body !== null && bodyFile !== null) {
    context.problems.add(bodyFile.place.path, bodyFile.place.origin, 'body and bodyFile are both given; give one');
    return null;
  }
  if (bodyFile !== null) {
    const file = attempt(context, bodyFile.place, () => context.blobs.addFile(bodyFile.value).ref);
    return file === null ? null : { kind: 'file', file };
  }
  if (body === null) return { kind: 'none' };
  const template = attempt(context, body.place, () => compileTemplate(body.value, context.columns));
  return template === null ? null : { kind: 'text', text: body.value };
}

/** The tokenizer of the answers; one that is not known or cannot be read is found here, before the run. */
function buildTokenizer({ llm }: RequestText, context: RequestContext): TokenizerRef | null {
  const given = llm?.tokenizer ?? null;
  if (given === null) return null;
  return attempt(context, given.place, () => {
    const name = given.value;
    const found: { file: TokenizerRef['file'] } = { file: null };
    tokenCounterOf(name, () => {
      const { ref, bytes } = context.blobs.addFile(name);
      found.file = ref;
      return new TextDecoder().decode(bytes);
    });
    return { name, file: found.file };
  });
}

function methodOf({ method }: RequestText): string {
  return method ?? 'GET';
}

/** Names as given, else method and URL, made different by a number. */
function requestNames(texts: readonly PlacedRequest[], problems: ProblemList): string[] {
  const taken = new Set<string>();
  for (const { value, place } of texts) {
    if (value.name === null) continue;
    if (taken.has(value.name)) {
      problems.add(`${place.path}.name`, place.origin, `another request is named ${JSON.stringify(value.name)} too`);
    }
    taken.add(value.name);
  }
  return texts.map(({ value }) => {
    if (value.name !== null) return value.name;
    // Without the query: that is where keys and personal data are.
    const path = (value.url?.value ?? '').replace(/\?.*$/s, '').slice(0, 80);
    const plain = value.url === null ? methodOf(value) : `${methodOf(value)} ${path}`;
    let name = plain;
    for (let copy = 2; taken.has(name); copy += 1) name = `${plain} (${copy})`;
    taken.add(name);
    return name;
  });
}

/** Runs `work`; what it refuses becomes a problem of `place`, and the answer null. */
function attempt<T>(context: RequestContext, place: Place, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    context.problems.add(place.path, place.origin, error.message);
    return null;
  }
}
