/**
 * How connections of the fleet behave, the same numbers for clients and servers: a client that pings more often than its
 * server allows would be cut off (R083). A peer that stops answering is noticed within KEEP_ALIVE_INTERVAL_MS + KEEP_ALIVE_TIMEOUT_MS.
 */
import { type ChannelOptions, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { MESSAGE_BYTES_MAX } from './protocol.ts';

// What goes wrong reaches us as errors; the library's own lines on standard error would only tear the progress line.
setLogVerbosity(logVerbosity.NONE);

/** Quiet time after which a connection is pinged, ms. */
const KEEP_ALIVE_INTERVAL_MS = 5000;

/** How long an answer to the ping may take before the connection counts as dead, ms. */
const KEEP_ALIVE_TIMEOUT_MS = 5000;

const SHARED: ChannelOptions = {
  'grpc.keepalive_time_ms': KEEP_ALIVE_INTERVAL_MS,
  'grpc.keepalive_timeout_ms': KEEP_ALIVE_TIMEOUT_MS,
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
};

/** Options of one client connection. */
export const CLIENT_OPTIONS: ChannelOptions = {
  ...SHARED,
  // Connections with equal options would be shared: bulk on Report would then delay leases on Control (design §8).
  'grpc.use_local_subchannel_pool': 1,
  // Reconnecting is the uplink's business, with its own back-off; a channel must try at once when it is told to.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.enable_retries': 0,
  // A fleet's addresses are dialled directly: an HTTP proxy of the environment is meant for other traffic.
  'grpc.enable_http_proxy': 0,
};

/** Options of a server. */
export const SERVER_OPTIONS: ChannelOptions = { ...SHARED };
