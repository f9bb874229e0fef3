/**
 * From protobuf-es service descriptors to grpc-js: one generic definition for servers, one typed call for each kind of method
 * for clients. Nothing here knows a particular service; bytes are made and read by the descriptors themselves.
 */
import type { DescMessage, DescMethod, DescService, Message, MessageShape } from '@bufbuild/protobuf';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type {
  Client,
  ClientDuplexStream,
  ClientReadableStream,
  ClientWritableStream,
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  MethodDefinition,
  ServiceDefinition,
  ServiceError,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { Metadata } from '@grpc/grpc-js';

/** A method of a service, as generated. */
interface TypedMethod<Kind extends DescMethod['methodKind'], I extends DescMessage, O extends DescMessage> {
  readonly methodKind: Kind;
  readonly input: I;
  readonly output: O;
  readonly name: string;
  readonly parent: DescService;
}

/** The grpc-js handler that serves a method of this kind and these messages. */
type MethodHandler<M> = M extends {
  readonly methodKind: infer Kind;
  readonly input: infer I extends DescMessage;
  readonly output: infer O extends DescMessage;
}
  ? {
      unary: handleUnaryCall<MessageShape<I>, MessageShape<O>>;
      client_streaming: handleClientStreamingCall<MessageShape<I>, MessageShape<O>>;
      server_streaming: handleServerStreamingCall<MessageShape<I>, MessageShape<O>>;
      bidi_streaming: handleBidiStreamingCall<MessageShape<I>, MessageShape<O>>;
    }[Kind & DescMethod['methodKind']]
  : never;

/** One handler for each method of a service, by its name in camel case. */
export type ServiceHandlers<S extends { readonly method: object }> = {
  readonly [K in keyof S['method']]: MethodHandler<S['method'][K]>;
};

/** What a grpc-js server needs to serve `service`. */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
}

/** The handlers in the loose form that grpc-js takes; `ServiceHandlers` has already checked them. */
export function implementation<S extends { readonly method: object }>(
  handlers: ServiceHandlers<S>,
): UntypedServiceImplementation {
  return { ...handlers };
}

/** Opens a bidirectional stream. */
export function callBidi<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: TypedMethod<'bidi_streaming', I, O>,
): ClientDuplexStream<MessageShape<I>, MessageShape<O>> {
  const { path, serialize, deserialize } = clientParts(method);
  return client.makeBidiStreamRequest(path, serialize, deserialize, new Metadata());
}

/** Sends one request and reads a stream of answers. */
export function callServerStream<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: TypedMethod<'server_streaming', I, O>,
  request: MessageShape<I>,
): ClientReadableStream<MessageShape<O>> {
  const { path, serialize, deserialize } = clientParts(method);
  return client.makeServerStreamRequest(path, serialize, deserialize, request, new Metadata());
}

/** Writes a stream of requests; `done` is called once with the answer or the error. */
export function callClientStream<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: TypedMethod<'client_streaming', I, O>,
  done: (error: ServiceError | null, answer?: MessageShape<O>) => void,
): ClientWritableStream<MessageShape<I>> {
  const { path, serialize, deserialize } = clientParts(method);
  return client.makeClientStreamRequest(path, serialize, deserialize, new Metadata(), done);
}

/** Sends one request; `done` is called once with the answer or the error. */
export function callUnary<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: TypedMethod<'unary', I, O>,
  request: MessageShape<I>,
  done: (error: ServiceError | null, answer?: MessageShape<O>) => void,
): void {
  const { path, serialize, deserialize } = clientParts(method);
  client.makeUnaryRequest(path, serialize, deserialize, request, new Metadata(), done);
}

function methodDefinition(method: DescMethod): MethodDefinition<Message, Message> {
  const streams = method.methodKind;
  return {
    path: pathOf(method),
    requestStream: streams === 'client_streaming' || streams === 'bidi_streaming',
    responseStream: streams === 'server_streaming' || streams === 'bidi_streaming',
    requestSerialize: serializer(method.input),
    requestDeserialize: deserializer(method.input),
    responseSerialize: serializer(method.output),
    responseDeserialize: deserializer(method.output),
  };
}

function clientParts<I extends DescMessage, O extends DescMessage>(
  method: TypedMethod<DescMethod['methodKind'], I, O>,
): {
  path: string;
  serialize: (message: MessageShape<I>) => Buffer;
  deserialize: (bytes: Buffer) => MessageShape<O>;
} {
  return { path: pathOf(method), serialize: serializer(method.input), deserialize: deserializer(method.output) };
}

function pathOf(method: { readonly parent: DescService; readonly name: string }): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function serializer<D extends DescMessage>(schema: D): (message: MessageShape<D>) => Buffer {
  return (message) => {
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

function deserializer<D extends DescMessage>(schema: D): (bytes: Buffer) => MessageShape<D> {
  // Bytes fields are views of what is decoded: of a plain array, so that no Buffer gets into the domain.
  return (bytes) => fromBinary(schema, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
