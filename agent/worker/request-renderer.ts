/**
 * Makes the request of an arrival: which of the plan's named requests, with which data row and identity (design §5, §6).
 * Everything that does not depend on the arrival is made before the start; a request without data or identity is one shared
 * object. Choice and row follow from the arrival's identity alone, so they do not depend on who sends it.
 */

import type { OutboundRequest } from '../client/protocol-client.ts';
import { assertNever } from '../../shared/assert-never.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import type { Plan, RequestTemplate } from '../../shared/plan/plan.ts';
import {
  compileTemplate,
  type CompiledTemplate,
  isConstant,
  renderTemplate,
  valueAtPlace,
} from '../../shared/plan/template.ts';
import type { PromptWriting } from '../../shared/llm-workload/prompt-recipe.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { ScheduleBasis } from '../../shared/schedule/phase-stream.ts';
import { createRowChoice, type DataRow } from './row-choice.ts';
import { ArrivalDraw, RequestChoice } from './request-choice.ts';

/** What the dispatcher asks for each arrival. */
export interface RequestRenderer {
  /** Position in `Plan.requests` of the request that `arrival` sends. */
  choose(arrival: Arrival): number;
  /** The request itself; `arrival` is not kept. */
  render(arrival: Arrival, template: number): OutboundRequest;
  /** The same in pieces, for who renders ahead. */
  begin(arrival: Arrival, template: number): Rendering;
  /** The value that the arrival's row has in a column, as the file has it; '' where there is none. */
  cellOf(arrival: Arrival, column: number): string;
  /** True where requests take so long to make that it is worth doing ahead: prompts, that is. */
  readonly isSlow: boolean;
}

/** A request on its way. */
export interface Rendering {
  /** Does one piece, of some 0.05 ms; false when none is left but `finish`. */
  step(): boolean;
  /** The request, whatever was left. */
  finish(): OutboundRequest;
}

/** What a request is made from: a row, and the prompt where the row has only its recipe. */
interface RowValues {
  readonly row: DataRow;
  readonly prompt: PromptWriting | null;
}

/** Makes a request from a row; the same object each time when no part of it depends on the row. */
type RowRenderer = (values: RowValues) => OutboundRequest;

const NO_ROW: DataRow = [];
const NO_VALUES: RowValues = { row: NO_ROW, prompt: null };

/** A renderer for one trial. @throws FleetError 'plan' when a file of the plan is not at hand or a template is wrong. */
export function createRequestRenderer(plan: Plan, basis: ScheduleBasis): RequestRenderer {
  const draw = new ArrivalDraw(basis.seed, basis.trial, plan.phases);
  const weights = plan.requests.map((request) => request.weight);
  const choice = new RequestChoice(weights, draw);
  const rows = plan.data === null ? null : createRowChoice(plan.data, basis, draw);
  const compiler = {
    columns: plan.data?.columns ?? [],
    promptColumn: rows?.promptColumn ?? null,
    blobs: basis.blobs,
  };
  const renderers = plan.requests.map((request, template) => compileRequest(request, template, compiler));
  const { identify } = plan.target;
  const valuesOf = (arrival: Arrival): RowValues => {
    if (rows === null) return NO_VALUES;
    return { row: rows.rowOf(arrival), prompt: rows.promptColumn === null ? null : rows.promptOf(arrival) };
  };
  const identified = (arrival: Arrival, request: OutboundRequest): OutboundRequest =>
    identify ? { ...request, identity: identityText(basis.trial, arrival, draw) } : request;
  return {
    choose: (arrival) => choice.choose(arrival),
    render: (arrival, template) => {
      const { constant, render } = renderers[template] as CompiledRequest;
      return identified(arrival, constant ?? render(valuesOf(arrival)));
    },
    begin: (arrival, template) => {
      const { constant, render } = renderers[template] as CompiledRequest;
      if (constant !== null) return { step: () => false, finish: () => identified(arrival, constant) };
      const values = valuesOf(arrival);
      return {
        step: () => values.prompt?.step() ?? false,
        finish: () => identified(arrival, render(values)),
      };
    },
    cellOf: (arrival, column) => rows?.rowOf(arrival)[column] ?? '',
    isSlow: plan.data !== null && plan.data.dataset !== null && renderers.some(({ constant }) => constant === null),
  };
}

/** The identity of an arrival as the header `loadfleet-id` carries it (design §5). */
function identityText(trial: number, arrival: Arrival, draw: ArrivalDraw): string {
  const { phase, lane, block, rank, index } = arrival;
  return draw.formOf(phase) === 'lanes' ? `${trial}.${phase}.${lane}.${block}.${rank}` : `${trial}.${phase}.${index}`;
}

interface CompiledRequest {
  /** The request when it is the same for every row, else null. */
  readonly constant: OutboundRequest | null;
  readonly render: RowRenderer;
}

/** What templates are compiled against. */
interface Compiler {
  readonly columns: readonly string[];
  /** Column whose cells are recipes of prompts. */
  readonly promptColumn: number | null;
  readonly blobs: BlobStore;
}

function compileRequest(request: RequestTemplate, template: number, compiler: Compiler): CompiledRequest {
  const { method } = request;
  const { columns, promptColumn } = compiler;
  const url = compileTemplate(request.url, columns);
  const values = request.headers.map(([name, value]) => [name, compileTemplate(value, columns)] as const);
  const body = compileBody(request, compiler);
  // Parts that do not depend on the row keep one identity, so that a client can recognise what it has rendered before.
  const headerParts = values.map(([, value]) => value);
  const headers = onceIfConstant(headerParts, (row) =>
    values.map(([name, value]) => [name, renderTemplate(value, row)] as const),
  );
  const urlText = onceIfConstant([url], (row) => renderTemplate(url, row));
  // A prompt outside the body is rare; there its text stands in the row.
  const isPromptOutside = [url, ...headerParts].some((part) => usesColumn(part, promptColumn));
  const exactTokens = exactTokensOf(request, columns);
  const decodes =
    request.llm === null &&
    request.expect.decoded &&
    request.headers.some(([name]) => name.toLowerCase() === 'accept-encoding');
  const render: RowRenderer = (given) => {
    const row = isPromptOutside ? withPromptText(given, promptColumn) : given.row;
    return {
      template,
      method,
      url: urlText(row),
      headers: headers(row),
      body: body.bytes(given),
      identity: null,
      exactTokens: exactTokens(row),
      decodes,
    };
  };
  const parts = [url, ...headerParts, ...body.parts];
  return { constant: parts.every(isConstant) ? render(NO_VALUES) : null, render };
}

/** How long an answer must be, by the row: a cell that is no number of tokens says nothing. */
function exactTokensOf({ llm }: RequestTemplate, columns: readonly string[]): (row: DataRow) => number | null {
  const asked = llm?.exactTokens ?? null;
  if (typeof asked !== 'string') return () => asked;
  const template = compileTemplate(asked, columns);
  return (row) => {
    const tokens = Number(renderTemplate(template, row));
    return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : null;
  };
}

interface CompiledBody {
  readonly parts: readonly CompiledTemplate[];
  readonly bytes: (values: RowValues) => Uint8Array | null;
}

const encoder = new TextEncoder();

function compileBody(request: RequestTemplate, { columns, promptColumn, blobs }: Compiler): CompiledBody {
  const { body } = request;
  switch (body.kind) {
    case 'none':
      return { parts: [], bytes: () => null };
    case 'text': {
      const text = compileTemplate(body.text, columns);
      if (usesColumn(text, promptColumn)) return { parts: [text], bytes: promptBody(text, promptColumn) };
      const render = onceIfConstant([text], (row) => encoder.encode(renderTemplate(text, row)));
      return { parts: [text], bytes: ({ row }) => render(row) };
    }
    case 'file': {
      const { name, sha256 } = body.file;
      const bytes = blobs.get(sha256);
      if (bytes === undefined) {
        throw new FleetError('plan', `request "${request.name}": the content of "${name}" (${sha256}) is not at hand`);
      }
      return { parts: [], bytes: () => bytes };
    }
    default:
      return assertNever(body);
  }
}

/** A body around a generated prompt, put together of bytes: its words need no escaping, and 60 kB are copied once. */
function promptBody(text: CompiledTemplate, promptColumn: number | null): (values: RowValues) => Uint8Array {
  const texts = text.texts.map((piece) => encoder.encode(piece));
  return (values) => {
    const { row, prompt } = values;
    if (prompt === null) return encoder.encode(renderTemplate(text, row));
    const words = prompt.finish();
    const pieces: Uint8Array[] = [texts[0] as Uint8Array];
    for (const [index, place] of text.places.entries()) {
      const isPrompt = place.column === promptColumn;
      if (isPrompt && place.filter !== 'url') pieces.push(words);
      else pieces.push(encoder.encode(valueAtPlace(place, isPrompt ? withPromptText(values, promptColumn) : row)));
      pieces.push(texts[index + 1] as Uint8Array);
    }
    return Buffer.concat(pieces);
  };
}

function usesColumn(template: CompiledTemplate, column: number | null): boolean {
  return template.places.some((place) => place.column === column);
}

function withPromptText({ row, prompt }: RowValues, promptColumn: number | null): DataRow {
  if (prompt === null || promptColumn === null) return row;
  return row.with(promptColumn, new TextDecoder().decode(prompt.finish()));
}

/** `render` itself, or what it gives without a row when no template in `parts` needs one. */
function onceIfConstant<T>(parts: readonly CompiledTemplate[], render: (row: DataRow) => T): (row: DataRow) => T {
  if (!parts.every(isConstant)) return render;
  const constant = render(NO_ROW);
  return () => constant;
}
