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
import { compileTemplate, type CompiledTemplate, isConstant, renderTemplate } from '../../shared/plan/template.ts';
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
}

/** Makes a request from a row; the same object each time when no part of it depends on the row. */
type RowRenderer = (row: DataRow) => OutboundRequest;

const NO_ROW: DataRow = [];

/** A renderer for one trial. @throws FleetError 'plan' when a file of the plan is not at hand or a template is wrong. */
export function createRequestRenderer(plan: Plan, basis: ScheduleBasis): RequestRenderer {
  const draw = new ArrivalDraw(basis.seed, basis.trial, plan.phases);
  const weights = plan.requests.map((request) => request.weight);
  const choice = new RequestChoice(weights, draw);
  const rowOf = plan.data === null ? () => NO_ROW : createRowChoice(plan.data, basis, draw);
  const columns = plan.data?.columns ?? [];
  const renderers = plan.requests.map((request, template) => compileRequest(request, template, columns, basis.blobs));
  const { identify } = plan.target;
  return {
    choose: (arrival) => choice.choose(arrival),
    render: (arrival, template) => {
      const renderer = renderers[template] as CompiledRequest;
      const request = renderer.constant ?? renderer.render(rowOf(arrival));
      return identify ? { ...request, identity: identityText(basis.trial, arrival, draw) } : request;
    },
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

function compileRequest(
  request: RequestTemplate,
  template: number,
  columns: readonly string[],
  blobs: BlobStore,
): CompiledRequest {
  const { method } = request;
  const url = compileTemplate(request.url, columns);
  const values = request.headers.map(([name, value]) => [name, compileTemplate(value, columns)] as const);
  const body = compileBody(request, columns, blobs);
  // Parts that do not depend on the row keep one identity, so that a client can recognise what it has rendered before.
  const headers = onceIfConstant(
    values.map(([, value]) => value),
    (row) => values.map(([name, value]) => [name, renderTemplate(value, row)] as const),
  );
  const urlText = onceIfConstant([url], (row) => renderTemplate(url, row));
  const render: RowRenderer = (row) => ({
    template,
    method,
    url: urlText(row),
    headers: headers(row),
    body: body.bytes(row),
    identity: null,
  });
  const parts = [url, ...values.map(([, value]) => value), ...body.parts];
  return { constant: parts.every(isConstant) ? render(NO_ROW) : null, render };
}

interface CompiledBody {
  readonly parts: readonly CompiledTemplate[];
  readonly bytes: (row: DataRow) => Uint8Array | null;
}

function compileBody(request: RequestTemplate, columns: readonly string[], blobs: BlobStore): CompiledBody {
  const { body } = request;
  switch (body.kind) {
    case 'none':
      return { parts: [], bytes: () => null };
    case 'text': {
      const text = compileTemplate(body.text, columns);
      const encoder = new TextEncoder();
      return { parts: [text], bytes: onceIfConstant([text], (row) => encoder.encode(renderTemplate(text, row))) };
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

/** `render` itself, or what it gives without a row when no template in `parts` needs one. */
function onceIfConstant<T>(parts: readonly CompiledTemplate[], render: (row: DataRow) => T): (row: DataRow) => T {
  if (!parts.every(isConstant)) return render;
  const constant = render(NO_ROW);
  return () => constant;
}
