/**
 * Makes the request of an arrival: which of the plan's named requests, with which data row and identity (design §5, §6).
 * Everything that does not depend on the arrival is made before the start; a request without data or identity is one shared
 * object. Choice and row follow from the arrival's identity alone, so they do not depend on who sends it.
 */

import type { OutboundRequest } from '../client/protocol-client.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import type { Plan, RequestTemplate } from '../../shared/plan/plan.ts';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import { ArrivalDraw, RequestChoice } from './request-choice.ts';

/** What the dispatcher asks for each arrival. */
export interface RequestRenderer {
  /** Position in `Plan.requests` of the request that `arrival` sends. */
  choose(arrival: Arrival): number;
  /** The request itself; `arrival` is not kept. */
  render(arrival: Arrival, template: number): OutboundRequest;
}

/** A renderer for one trial. @throws FleetError 'plan' when a file of the plan is not at hand. */
export function createRequestRenderer(plan: Plan, trial: number, blobs: BlobStore): RequestRenderer {
  const draw = new ArrivalDraw(seedFromBigInt(plan.seed), trial, plan.phases);
  const choice = new RequestChoice(
    plan.requests.map((request) => request.weight),
    draw,
  );
  const rendered = plan.requests.map((request, template) => renderFixed(request, template, blobs));
  const identify = plan.target.identify;
  return {
    choose: (arrival) => choice.choose(arrival),
    render: (arrival, template) => {
      const fixed = rendered[template] as OutboundRequest;
      return identify ? { ...fixed, identity: identityText(trial, arrival, draw) } : fixed;
    },
  };
}

/** The identity of an arrival as the header `loadfleet-id` carries it (design §5). */
function identityText(trial: number, arrival: Arrival, draw: ArrivalDraw): string {
  const { phase, lane, block, rank, index } = arrival;
  return draw.formOf(phase) === 'lanes' ? `${trial}.${phase}.${lane}.${block}.${rank}` : `${trial}.${phase}.${index}`;
}

function renderFixed(request: RequestTemplate, template: number, blobs: BlobStore): OutboundRequest {
  const { method, url, headers } = request;
  return { template, method, url, headers, body: bodyOf(request, blobs), identity: null };
}

function bodyOf(request: RequestTemplate, blobs: BlobStore): Uint8Array | null {
  switch (request.body.kind) {
    case 'none':
      return null;
    case 'text':
      return new TextEncoder().encode(request.body.text);
    case 'file': {
      const { name, sha256 } = request.body.file;
      const bytes = blobs.get(sha256);
      if (bytes === undefined) {
        throw new FleetError('plan', `request "${request.name}": the content of "${name}" (${sha256}) is not at hand`);
      }
      return bytes;
    }
  }
}
