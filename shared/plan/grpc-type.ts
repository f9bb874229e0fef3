/** Whether a request is a call of gRPC, by its Content-Type: who judges its answer, and who warns of a plan, mean the same. */

/** With whatever encoding of messages. */
const GRPC_TYPE = /^application\/grpc(?:\+[^;]*)?[ \t]*(?:;|$)/i;
const GRPC_WEB_TYPE = /^application\/grpc-web(?:-text)?(?:\+[^;]*)?[ \t]*(?:;|$)/i;

/** `grpc`: the status is in fields of HTTP/2; `grpc-web`: at the end of the body. Null = it is no call. */
export function grpcKindOf(headers: readonly (readonly [name: string, value: string])[]): 'grpc' | 'grpc-web' | null {
  const types = headers.filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value.trim());
  if (types.some((type) => GRPC_TYPE.test(type))) return 'grpc';
  return types.some((type) => GRPC_WEB_TYPE.test(type)) ? 'grpc-web' : null;
}
