/**
 * The coordinator's server: Fleet for agents and Runs for the command line on one port, handed on as domain values.
 * It listens on loopback only until TLS exists (design §12); no call of a peer can end it.
 */
import { create } from '@bufbuild/protobuf';
import { Server, type ServerDuplexStream, type ServerReadableStream, type ServerWritableStream } from '@grpc/grpc-js';
import { BlobPieceSchema } from '../../proto/gen/loadfleet/v1/blob_pb.ts';
import { Fleet } from '../../proto/gen/loadfleet/v1/fleet_pb.ts';
import { Runs, StopRunAnswerSchema, SubmitAnswerSchema } from '../../proto/gen/loadfleet/v1/runs_pb.ts';
import { FleetError } from '../fleet-error.ts';
import { isLoopbackHost, type ListenAddress } from '../listen-address.ts';
import { startLongTimer } from '../time/long-timer.ts';
import { SERVER_OPTIONS } from './channel-options.ts';
import { type ChannelSecurity, serverCredentials } from './channel-security.ts';
import { agentMessageFromProto } from './agent-message-codec.ts';
import { coordinatorMessageToProto } from './coordinator-message-codec.ts';
import type { AgentMessage, CoordinatorMessage } from './control-message.ts';
import { implementation, serviceDefinition } from './grpc-service.ts';
import { MessageStream, type StreamBorder, type StreamHandlers } from './message-stream.ts';
import { PIECE_BYTES } from './protocol.ts';
import { reportAckToProto, reportMessageFromProto } from './report-stream-codec.ts';
import type { ReportAck, ReportMessage } from './report-message.ts';
import { serverStatus, toFleetError } from './rpc-status.ts';
import { submitMessageFromProto, watchEventToProto } from './runs-codec.ts';
import type { StopSignal, SubmitMessage, WatchEvent } from './runs-message.ts';

const NS_PER_MS = 1e6;

/** What the coordinator does with each call. Errors thrown or given as `FleetError` reach the peer with their code. */
export interface FleetServerHandlers {
  /** A new Control stream of the peer at `peer` (an address, for messages). */
  acceptControl(stream: MessageStream<CoordinatorMessage>, peer: string): StreamHandlers<AgentMessage>;
  /** A new Report stream. */
  acceptReports(stream: MessageStream<ReportAck>, peer: string): StreamHandlers<ReportMessage>;
  /** The content of a file by SHA-256; null when there is none. */
  blob(sha256: string): Uint8Array | null;
  /** Takes a whole submission; answers with the run's id. */
  submit(messages: AsyncIterable<SubmitMessage>): Promise<string>;
  /** Tells of a run until it has ended; `isWanted` turns false when the watcher has left. */
  watch(runId: string, isWanted: () => boolean): AsyncIterable<WatchEvent>;
  /** Asks a run to stop; answers with the state it was in. */
  stop(runId: string, signal: StopSignal, abrupt: boolean): string;
}

/** A server that listens. */
export interface FleetServer {
  /** The port it listens on. */
  readonly port: number;
  /** `HOST:PORT` for clients on this host. */
  readonly address: string;
  /** Takes no new calls, waits until the present ones have ended but no longer than `patienceNs`, and closes the port. */
  close(patienceNs: number): Promise<void>;
}

/**
 * Starts to listen.
 * @throws FleetError `refused` for an address beyond loopback, `io` when the port cannot be had.
 */
export async function serveFleet(
  listen: ListenAddress,
  security: ChannelSecurity,
  handlers: FleetServerHandlers,
): Promise<FleetServer> {
  if (!isLoopbackHost(listen.host)) {
    throw new FleetError(
      'refused',
      `listen: ${listen.host} is not a loopback address; until TLS exists no other is used`,
    );
  }
  const server = new Server(SERVER_OPTIONS);
  server.addService(serviceDefinition(Fleet), fleetImplementation(handlers));
  server.addService(serviceDefinition(Runs), runsImplementation(handlers));
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  const port = await bind(server, `${host}:${listen.port}`, security);
  return { port, address: `${host}:${port}`, close: (patienceNs) => shutDown(server, patienceNs) };
}

function bind(server: Server, address: string, security: ChannelSecurity): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, serverCredentials(security), (error, port) => {
      if (error === null) resolve(port);
      else reject(new FleetError('io', `listen: cannot use ${address}: ${error.message}`, { cause: error }));
    });
  });
}

function shutDown(server: Server, patienceNs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = startLongTimer(() => server.forceShutdown(), patienceNs / NS_PER_MS);
    server.tryShutdown(() => {
      timer.cancel();
      resolve();
    });
  });
}

function fleetImplementation(handlers: FleetServerHandlers): ReturnType<typeof implementation<typeof Fleet>> {
  return implementation<typeof Fleet>({
    control: (call) => {
      MessageStream.over(call, serverBorder(call, coordinatorMessageToProto, agentMessageFromProto), (stream) =>
        handlers.acceptControl(stream, call.getPeer()),
      );
    },
    report: (call) => {
      MessageStream.over(call, serverBorder(call, reportAckToProto, reportMessageFromProto), (stream) =>
        handlers.acceptReports(stream, call.getPeer()),
      );
    },
    fetchBlob: (call) => {
      void sendAll(call, blobPieces(handlers.blob(call.request.sha256), call.request.sha256));
    },
  });
}

function runsImplementation(handlers: FleetServerHandlers): ReturnType<typeof implementation<typeof Runs>> {
  return implementation<typeof Runs>({
    submit: (call, answer) => {
      handlers.submit(submissionOf(call)).then(
        (runId) => answer(null, create(SubmitAnswerSchema, { runId })),
        (thrown: unknown) => answer(serverStatus(toFleetError(thrown))),
      );
    },
    watch: (call) => {
      void sendAll(call, watchEvents(handlers.watch(call.request.runId, () => !call.cancelled)));
    },
    stop: (call, answer) => {
      try {
        const { runId, signal, abrupt } = call.request;
        answer(null, create(StopRunAnswerSchema, { state: handlers.stop(runId, stopSignalOf(signal), abrupt) }));
      } catch (thrown) {
        answer(serverStatus(toFleetError(thrown)));
      }
    },
  });
}

async function* submissionOf(
  call: ServerReadableStream<Parameters<typeof submitMessageFromProto>[0], unknown>,
): AsyncIterable<SubmitMessage> {
  for await (const message of call as AsyncIterable<Parameters<typeof submitMessageFromProto>[0]>) {
    yield submitMessageFromProto(message);
  }
}

async function* watchEvents(events: AsyncIterable<WatchEvent>): AsyncIterable<ReturnType<typeof watchEventToProto>> {
  for await (const event of events) yield watchEventToProto(event);
}

function* blobPieces(content: Uint8Array | null, sha256: string): Iterable<ReturnType<typeof blobPiece>> {
  if (content === null) throw new FleetError('refused', `blob ${sha256} is not here`);
  for (let from = 0; from < content.length; from += PIECE_BYTES) {
    yield blobPiece(content.subarray(from, from + PIECE_BYTES));
  }
}

function blobPiece(content: Uint8Array) {
  return create(BlobPieceSchema, { content });
}

/** Writes every message as fast as the peer takes it, then ends the call; an error ends it with its status. */
async function sendAll<Message>(
  call: ServerWritableStream<unknown, Message>,
  messages: Iterable<Message> | AsyncIterable<Message>,
): Promise<void> {
  try {
    for await (const message of messages) {
      if (call.cancelled) return;
      if (!call.write(message)) await drained(call);
    }
    call.end();
  } catch (thrown) {
    call.emit('error', serverStatus(toFleetError(thrown)));
  }
}

/** Resolves when writing may go on, or when the peer is gone. */
function drained(call: ServerWritableStream<unknown, unknown>): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      call.off('drain', go);
      call.off('cancelled', go);
      resolve();
    };
    call.on('drain', go);
    call.on('cancelled', go);
  });
}

function serverBorder<Out, WireOut, In, WireIn>(
  call: ServerDuplexStream<WireIn, WireOut>,
  toWire: (message: Out) => WireOut,
  fromWire: (message: WireIn) => In,
): StreamBorder<Out, WireOut, In, WireIn> {
  return {
    toWire,
    fromWire,
    errorOf: (thrown) => (thrown instanceof FleetError ? thrown : new FleetError('lost', toFleetError(thrown).message)),
    abort: (error) => {
      call.emit('error', serverStatus(error));
    },
  };
}

function stopSignalOf(text: string): StopSignal {
  if (text === 'SIGINT' || text === 'SIGTERM' || text === 'stop') return text;
  throw new FleetError('protocol', `stop.signal is "${text}", must be SIGINT, SIGTERM or stop`);
}
