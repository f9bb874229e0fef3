/** A response sink that keeps what happened, and checks the order and the single end that the client border promises. */
import type {
  Exchange,
  OutboundRequest,
  ProtocolClient,
  ResponseSink,
  WaitKind,
} from '../../agent/client/protocol-client.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';

export class RecordingSink implements ResponseSink {
  readonly wantsBytes = true;
  readonly waits: WaitKind[] = [];
  sendNs: number | null = null;
  firstByteNs: number | null = null;
  endNs: number | null = null;
  outcome: Outcome | null = null;
  body = '';
  readonly done: Promise<Outcome>;
  #resolveDone: (outcome: Outcome) => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
  }

  onWait(kind: WaitKind): void {
    this.#mustBeOpen('onWait');
    if (this.sendNs !== null) throw new Error('onWait after onSend');
    this.waits.push(kind);
  }

  onSend(tNs: number): void {
    this.#mustBeOpen('onSend');
    if (this.sendNs !== null) throw new Error('onSend came twice');
    this.sendNs = tNs;
  }

  onFirstByte(tNs: number): void {
    this.#mustBeOpen('onFirstByte');
    if (this.sendNs === null) throw new Error('onFirstByte before onSend');
    this.firstByteNs ??= tNs;
  }

  onBytes(chunk: Uint8Array): void {
    this.#mustBeOpen('onBytes');
    this.body += Buffer.from(chunk).toString('latin1');
  }

  onEnd(outcome: Outcome, tNs: number): void {
    this.#mustBeOpen('onEnd');
    this.outcome = outcome;
    this.endNs = tNs;
    this.#resolveDone(outcome);
  }

  #mustBeOpen(event: string): void {
    if (this.outcome !== null) throw new Error(`${event} after onEnd`);
  }
}

/** Sends one request and gives its sink. */
export function sendRecorded(
  client: ProtocolClient,
  request: Partial<OutboundRequest> & { url: string },
): { sink: RecordingSink; exchange: Exchange } {
  const sink = new RecordingSink();
  const whole: OutboundRequest = { template: 0, method: 'GET', headers: [], body: null, identity: null, ...request };
  return { sink, exchange: client.send(whole, sink) };
}
