/** Limits on what a report may say on the wire, far above what an agent does say. */

/** Phases are at most 256. */
export const PHASE_MAX = 255;
/** Windows: 68 years. */
export const WINDOW_MAX = 2 ** 31 - 1;
export const SLOT_MAX = 2 ** 20;
/** Characters of one text: a name, an id, a warning. */
export const TEXT_LENGTH_MAX = 1024;
