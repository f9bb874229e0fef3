/** The command line's side of the Runs service: submit a plan with its files, watch the run, stop it. */
import { create } from '@bufbuild/protobuf';
import { Client, type ClientWritableStream } from '@grpc/grpc-js';
import { Runs, StopRunRequestSchema, WatchRequestSchema } from '../../proto/gen/loadfleet/v1/runs_pb.ts';
import { FleetError } from '../fleet-error.ts';
import { startLongTimer } from '../time/long-timer.ts';
import { CLIENT_OPTIONS } from './channel-options.ts';
import { clientCredentials } from './channel-security.ts';
import { CONNECT_TIMEOUT_MS, startConnectDeadline } from './connect-deadline.ts';
import type { FleetEndpoint } from './fleet-client.ts';
import { callClientStream, callServerStream, callUnary } from './grpc-service.ts';
import { PIECE_BYTES } from './protocol.ts';
import { fromServiceError, toFleetError } from './rpc-status.ts';
import { plainNameFromWire, submitMessageToProto, watchEventFromProto } from './runs-codec.ts';
import type { StopSignal, SubmitHeader, WatchEvent } from './runs-message.ts';

/** How long a stop may take to be answered, ms. */
const STOP_TIMEOUT_MS = 5000;

/** A connection to a coordinator's Runs service. */
export class RunsClient {
  readonly #client: Client;
  readonly #address: string;
  readonly #connectTimeoutMs: number;

  constructor(endpoint: FleetEndpoint, connectTimeoutMs = CONNECT_TIMEOUT_MS) {
    this.#address = endpoint.address;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#client = new Client(endpoint.address, clientCredentials(endpoint.security), CLIENT_OPTIONS);
  }

  /** Uploads a plan and its files. Answers with the run's id once it is accepted. @throws FleetError. */
  async submit(header: SubmitHeader, blobs: ReadonlyMap<string, Uint8Array>): Promise<string> {
    const what = `Submit to ${this.#address}`;
    const answer = Promise.withResolvers<string>();
    const call = callClientStream(this.#client, Runs.method.submit, (error, value) => {
      if (error !== null) answer.reject(fromServiceError(what, error));
      else answer.resolve(value?.runId ?? '');
    });
    // The call's own error arrives through the answer; the stream repeats it.
    call.on('error', () => undefined);
    const deadline = startConnectDeadline(this.#client, what, this.#connectTimeoutMs, (error) => {
      answer.reject(error);
      call.cancel();
    });
    try {
      void this.#upload(call, header, blobs);
      return plainNameFromWire('submit.run_id', await answer.promise);
    } finally {
      deadline.cancel();
    }
  }

  /** Follows a run to its end. @throws FleetError `lost` when the stream ends without the run's end (R083). */
  async *watch(runId: string): AsyncIterable<WatchEvent> {
    const what = `Watch of run ${runId} at ${this.#address}`;
    const call = callServerStream(this.#client, Runs.method.watch, create(WatchRequestSchema, { runId }));
    const deadline = startConnectDeadline(this.#client, what, this.#connectTimeoutMs, (error) => call.destroy(error));
    try {
      for await (const message of call as AsyncIterable<Parameters<typeof watchEventFromProto>[0]>) {
        const event = watchEventFromProto(message);
        yield event;
        if (event.kind === 'end') return;
      }
    } catch (thrown) {
      throw thrown instanceof FleetError ? thrown : fromServiceError(what, thrown as Error);
    } finally {
      deadline.cancel();
      call.cancel();
    }
    throw new FleetError('lost', `${what}: the stream ended before the run did`);
  }

  /** Asks a run to stop. Answers with the state it was in. */
  stop(runId: string, signal: StopSignal, abrupt: boolean): Promise<string> {
    const answer = Promise.withResolvers<string>();
    const request = create(StopRunRequestSchema, { runId, signal, abrupt });
    const what = `Stop of run ${runId} at ${this.#address}`;
    const timer = startLongTimer(() => {
      answer.reject(new FleetError('deadline', `${what}: no answer within ${STOP_TIMEOUT_MS} ms`));
    }, STOP_TIMEOUT_MS);
    callUnary(this.#client, Runs.method.stop, request, (error, value) => {
      timer.cancel();
      if (error !== null) answer.reject(fromServiceError(what, error));
      else answer.resolve(value?.state ?? '');
    });
    return answer.promise;
  }

  close(): void {
    this.#client.close();
  }

  async #upload(
    call: ClientWritableStream<ReturnType<typeof submitMessageToProto>>,
    header: SubmitHeader,
    blobs: ReadonlyMap<string, Uint8Array>,
  ): Promise<void> {
    try {
      await written(call, submitMessageToProto({ kind: 'header', header }));
      for (const [sha256, content] of blobs) {
        // An empty file still needs its one piece.
        for (let from = 0; from === 0 || from < content.length; from += PIECE_BYTES) {
          const piece = content.subarray(from, from + PIECE_BYTES);
          await written(call, submitMessageToProto({ kind: 'piece', sha256, content: piece }));
        }
      }
      call.end();
    } catch (thrown) {
      call.destroy(toFleetError(thrown));
    }
  }
}

/** Writes one message and waits until the next may follow. */
function written<Message>(call: ClientWritableStream<Message>, message: Message): Promise<void> {
  return new Promise((resolve) => {
    if (call.write(message)) {
      resolve();
      return;
    }
    const go = (): void => {
      call.off('drain', go);
      call.off('close', go);
      resolve();
    };
    call.on('drain', go);
    // A call that failed never drains; its error comes through the answer.
    call.on('close', go);
  });
}
