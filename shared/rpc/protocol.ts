/** The numbers that both ends of the fleet's protocol agree on (design §8). A change of meaning on the wire raises PROTOCOL. */

/** Version of the protocol. Both ends must have the same one: a fleet is deployed as a whole. */
export const PROTOCOL = 2;

/** Largest plan as canonical JSON, in bytes. */
export const PLAN_BYTES_MAX = 1024 * 1024;

/** Largest file of a plan, in bytes. */
export const BLOB_BYTES_MAX = 1024 * 1024 * 1024;

/** Largest piece of a file in one message, in bytes. */
export const PIECE_BYTES = 256 * 1024;

/** Largest message either side accepts, in bytes. A report of one agent is some 100 kB a second; one that folded minutes still fits. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

/** Reports of one agent that may wait for their acknowledgement; what comes later folds into one (design §8). */
export const REPORTS_UNACKNOWLEDGED_MAX = 8;

/** How often an agent asks for its lease to be renewed, in ns. */
export const HEARTBEAT_INTERVAL_NS = 1_000_000_000;
