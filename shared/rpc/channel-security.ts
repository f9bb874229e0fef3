/**
 * How a connection of the fleet is protected. Until TLS exists there is one way, and it holds only because nothing listens
 * beyond loopback (design §12); TLS and tokens become further members of this union.
 */
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';

/** The protection of a connection. */
export type ChannelSecurity =
  /** Clear text, for loopback. */
  { readonly kind: 'loopback' };

/** grpc-js credentials of a client. */
export function clientCredentials(security: ChannelSecurity): ChannelCredentials {
  const make = { loopback: () => ChannelCredentials.createInsecure() };
  return make[security.kind]();
}

/** grpc-js credentials of a server. */
export function serverCredentials(security: ChannelSecurity): ServerCredentials {
  const make = { loopback: () => ServerCredentials.createInsecure() };
  return make[security.kind]();
}
