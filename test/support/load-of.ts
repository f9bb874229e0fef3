/** Many requests of one kind through a client, a fixed number of them open at any time; how each ended is counted by kind or class. */
import type { OutboundRequest, ProtocolClient } from '../../agent/client/protocol-client.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import { sendRecorded } from './recording-sink.ts';

/** How requests ended: `ok 200`, or the class of their failure. */
export type Ends = Readonly<Record<string, number>>;

type RequestText = Partial<OutboundRequest> & { readonly url: string };

/** Requests that follow each other in lanes until told to stop. */
export class SteadyLoad {
  ended = 0;
  readonly #ends: Record<string, number> = {};
  readonly #lanes: Promise<void>[];
  #left: number;

  /** `inFlight` lanes; `count` requests, or as many as there are until `stop`. */
  constructor(client: ProtocolClient, request: RequestText, inFlight: number, count = Infinity) {
    this.#left = count;
    this.#lanes = Array.from({ length: inFlight }, () => this.#run(client, request));
  }

  /** Sends no more; resolves when all that was sent has ended. */
  async stop(): Promise<Ends> {
    this.#left = 0;
    return this.whole();
  }

  /** Resolves when all have ended. */
  async whole(): Promise<Ends> {
    await Promise.all(this.#lanes);
    return this.#ends;
  }

  async #run(client: ProtocolClient, request: RequestText): Promise<void> {
    while (this.#left > 0) {
      this.#left -= 1;
      const end = endOf(await sendRecorded(client, request).sink.done);
      this.#ends[end] = (this.#ends[end] ?? 0) + 1;
      this.ended += 1;
      // A failure can be told at once, and a lane of them must not keep the loop.
      if (!end.startsWith('ok')) await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

/** Sends `count` requests with `inFlight` open at a time. */
export function endsOf(client: ProtocolClient, request: RequestText, count: number, inFlight: number): Promise<Ends> {
  return new SteadyLoad(client, request, inFlight, count).whole();
}

function endOf(outcome: Outcome): string {
  return outcome.kind === 'ok' ? `ok ${outcome.status}` : outcome.class;
}
