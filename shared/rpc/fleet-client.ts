/**
 * The agent's side of the Fleet service. Every stream has a connection of its own (design §8) that lives and dies with it;
 * reconnecting is the caller's business. Addresses are `HOST:PORT`.
 */
import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Client, type ClientDuplexStream } from '@grpc/grpc-js';
import { FetchBlobRequestSchema } from '../../proto/gen/loadfleet/v1/blob_pb.ts';
import { Fleet } from '../../proto/gen/loadfleet/v1/fleet_pb.ts';
import { FleetError } from '../fleet-error.ts';
import type { BlobRef } from '../plan/blob-ref.ts';
import { CLIENT_OPTIONS } from './channel-options.ts';
import { type ChannelSecurity, clientCredentials } from './channel-security.ts';
import { agentMessageToProto } from './agent-message-codec.ts';
import { coordinatorMessageFromProto } from './coordinator-message-codec.ts';
import { CONNECT_TIMEOUT_MS, startConnectDeadline } from './connect-deadline.ts';
import type { AgentMessage, CoordinatorMessage } from './control-message.ts';
import { callBidi, callServerStream } from './grpc-service.ts';
import { MessageStream, type StreamBorder, type StreamHandlers } from './message-stream.ts';
import { BLOB_BYTES_MAX } from './protocol.ts';
import { reportAckFromProto, reportMessageToProto } from './report-stream-codec.ts';
import type { ReportAck, ReportMessage } from './report-message.ts';
import { fromServiceError, toFleetError } from './rpc-status.ts';

/** Where a coordinator is and how to talk to it. */
export interface FleetEndpoint {
  /** `HOST:PORT`. */
  readonly address: string;
  readonly security: ChannelSecurity;
}

/** Opens a Control stream on a connection of its own. */
export function openControl(
  endpoint: FleetEndpoint,
  handlers: StreamHandlers<CoordinatorMessage>,
): MessageStream<AgentMessage> {
  const client = connect(endpoint);
  const call = callBidi(client, Fleet.method.control);
  return MessageStream.over(
    call,
    clientBorder(`Control stream to ${endpoint.address}`, call, agentMessageToProto, coordinatorMessageFromProto),
    () => closing(client, handlers),
  );
}

/** Opens a Report stream on a connection of its own. */
export function openReports(
  endpoint: FleetEndpoint,
  handlers: StreamHandlers<ReportAck>,
): MessageStream<ReportMessage> {
  const client = connect(endpoint);
  const call = callBidi(client, Fleet.method.report);
  return MessageStream.over(
    call,
    clientBorder(`Report stream to ${endpoint.address}`, call, reportMessageToProto, reportAckFromProto),
    () => closing(client, handlers),
  );
}

/**
 * Fetches one file of the plan and checks that it is the right one.
 * @throws FleetError `protocol` when size or SHA-256 differ, else what the coordinator or the connection said.
 */
export async function fetchBlob(
  endpoint: FleetEndpoint,
  blob: BlobRef,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): Promise<Uint8Array> {
  const what = `FetchBlob of ${blob.name} (${blob.sha256.slice(0, 12)}) from ${endpoint.address}`;
  if (blob.sizeBytes > BLOB_BYTES_MAX) {
    throw new FleetError('protocol', `${what}: ${blob.sizeBytes} bytes, the limit is ${BLOB_BYTES_MAX}`);
  }
  const client = connect(endpoint);
  const call = callServerStream(
    client,
    Fleet.method.fetchBlob,
    create(FetchBlobRequestSchema, { sha256: blob.sha256 }),
  );
  const deadline = startConnectDeadline(client, what, connectTimeoutMs, (error) => call.destroy(error));
  const content = new Uint8Array(blob.sizeBytes);
  let received = 0;
  try {
    // The stream's async iterator fails with the call's status, and a clean end is checked by size and hash below.
    for await (const message of call as AsyncIterable<{ readonly content: Uint8Array }>) {
      if (received + message.content.length > blob.sizeBytes) {
        throw new FleetError('protocol', `${what}: longer than the ${blob.sizeBytes} bytes the plan names`);
      }
      content.set(message.content, received);
      received += message.content.length;
    }
  } catch (thrown) {
    call.cancel();
    throw thrown instanceof FleetError ? thrown : fromServiceError(what, thrown as Error);
  } finally {
    deadline.cancel();
    client.close();
  }
  if (received < blob.sizeBytes) {
    throw new FleetError('protocol', `${what}: ended after ${received} of ${blob.sizeBytes} bytes`);
  }
  const digest = createHash('sha256').update(content).digest('hex');
  if (digest !== blob.sha256) {
    throw new FleetError('protocol', `${what}: the content has SHA-256 ${digest}`);
  }
  return content;
}

function connect(endpoint: FleetEndpoint): Client {
  return new Client(endpoint.address, clientCredentials(endpoint.security), CLIENT_OPTIONS);
}

/** The connection is closed with its stream. */
function closing<In>(client: Client, handlers: StreamHandlers<In>): StreamHandlers<In> {
  return {
    onMessage: (message) => handlers.onMessage(message),
    onWritable: () => handlers.onWritable?.(),
    onClosed: (end) => {
      client.close();
      handlers.onClosed(end);
    },
  };
}

function clientBorder<Out, WireOut, In, WireIn>(
  what: string,
  call: ClientDuplexStream<WireOut, WireIn>,
  toWire: (message: Out) => WireOut,
  fromWire: (message: WireIn) => In,
): StreamBorder<Out, WireOut, In, WireIn> {
  return {
    toWire,
    fromWire,
    errorOf: (thrown) =>
      thrown instanceof Error && !(thrown instanceof FleetError) && 'details' in thrown
        ? fromServiceError(what, thrown)
        : toFleetError(thrown),
    abort: () => call.cancel(),
  };
}
