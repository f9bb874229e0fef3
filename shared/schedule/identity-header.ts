/** The one spelling of the header by which an arrival's identity travels from a client to a target (design §5). */

/** Name of the header, in requests and in the reference target's answers. */
export const IDENTITY_HEADER = 'loadfleet-id';
