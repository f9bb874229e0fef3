/** A protocol client in virtual time: it tells each request's events as a script says. */
import type { ClientGauge } from '../../agent/client/client-gauge.ts';
import {
  createClientCounters,
  type ClientCounters,
  type Exchange,
  type OutboundRequest,
  type ProtocolClient,
  type ResponseSink,
} from '../../agent/client/protocol-client.ts';
import { type Outcome, withStatus } from '../../shared/metrics/outcome.ts';
import type { LoopSimulation } from './loop-simulation.ts';

/** What becomes of a request. */
export interface FakeAnswer {
  /** Time until its first byte leaves; `kind` is what it waits for. */
  readonly wait?: { readonly kind: 'queue' | 'connect' | 'stream'; readonly ns: number };
  /** From send to first byte, ns; the end follows after `bodyNs`. Absent: it is never answered. */
  readonly serviceNs?: number;
  readonly bodyNs?: number;
  /** Pieces of the body, each `ns` after the first byte, in order and before the end. */
  readonly pieces?: readonly { readonly ns: number; readonly text: string }[];
  /** Body of the answer, in one piece at its end. */
  readonly body?: string;
  /** From the last byte of the answer until its body is decoded, ns. */
  readonly decodeNs?: number;
  /** Its end; a first byte comes before it where it has a status. */
  readonly outcome?: Outcome;
  /** How long reading it keeps the loop busy, ns. */
  readonly readCostNs?: number;
}

export interface SentRequest {
  readonly request: OutboundRequest;
  /** When the dispatcher gave it to the client, ns. */
  readonly atNs: number;
  aborted: Outcome | null;
}

const NOT_DECODED: Outcome = {
  kind: 'failed',
  class: 'generator',
  status: 200,
  detail: 'the body was not decoded in time',
};

const OK: Outcome = { kind: 'ok', status: 200 };

export class FakeClient implements ProtocolClient {
  readonly name = 'fake';
  readonly counters: ClientCounters = createClientCounters();
  readonly sent: SentRequest[] = [];
  /** Requests that have begun and not ended. */
  open = 0;
  openPeak = 0;
  decodingCount = 0;
  /** What it has to tell the report. */
  readonly warnings: string[] = [];
  readonly #loop: LoopSimulation;
  readonly #answer: (index: number, atNs: number) => FakeAnswer;
  readonly #costNs: number;

  /** `costNs`: how long a call of `send` keeps the loop busy. */
  constructor(loop: LoopSimulation, answer: (index: number, atNs: number) => FakeAnswer, costNs = 0) {
    this.#loop = loop;
    this.#answer = answer;
    this.#costNs = costNs;
  }

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  gauges(): readonly ClientGauge[] {
    return [];
  }

  takeWarnings(): readonly string[] {
    return this.warnings.splice(0);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  send(request: OutboundRequest, sink: ResponseSink): Exchange {
    const loop = this.#loop;
    const entry: SentRequest = { request, atNs: loop.nowNs(), aborted: null };
    const answer = this.#answer(this.sent.length, loop.nowNs());
    this.sent.push(entry);
    this.open += 1;
    this.openPeak = Math.max(this.openPeak, this.open);
    loop.spend(this.#costNs);
    let ended = false;
    let status: number | null = null;
    const bytes = (text: string): void => {
      // As the wire client does: what nobody wants is not cut out.
      if (!ended && sink.wantsBytes) sink.onBytes(new TextEncoder().encode(text), loop.nowNs());
    };
    let hereNs: number | null = null;
    const end = (outcome: Outcome): void => {
      if (ended) return;
      ended = true;
      this.open -= 1;
      if (hereNs !== null) this.decodingCount -= 1;
      sink.onEnd(outcome, hereNs ?? loop.nowNs());
    };
    const decode = (decodeNs: number, outcome: Outcome): void => {
      if (ended) return;
      hereNs = loop.nowNs();
      this.decodingCount += 1;
      loop.at(hereNs + decodeNs, () => end(outcome));
    };
    const start = (): void => {
      if (ended) return;
      sink.onSend(loop.nowNs());
      if (answer.serviceNs === undefined) return;
      loop.at(loop.nowNs() + answer.serviceNs, () => {
        loop.spend(answer.readCostNs ?? 0);
        if (ended) return;
        const outcome = answer.outcome ?? OK;
        if (outcome.status !== null) {
          status = outcome.status;
          sink.onFirstByte(loop.nowNs());
        }
        for (const { ns, text } of answer.pieces ?? []) {
          loop.at(loop.nowNs() + ns, () => bytes(text));
        }
        loop.at(loop.nowNs() + (answer.bodyNs ?? 0), () => {
          if (answer.body !== undefined) bytes(answer.body);
          if (answer.decodeNs === undefined) end(outcome);
          else decode(answer.decodeNs, outcome);
        });
      });
    };
    if (answer.wait === undefined) {
      if (answer.outcome?.kind === 'failed' && answer.serviceNs === undefined) end(answer.outcome);
      else start();
    } else {
      sink.onWait(answer.wait.kind, loop.nowNs());
      loop.at(loop.nowNs() + answer.wait.ns, start);
    }
    return {
      abort: (outcome) => {
        entry.aborted = outcome;
        end(hereNs === null ? withStatus(outcome, status) : NOT_DECODED);
      },
    };
  }
}
