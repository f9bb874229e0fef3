/** The proof experiments by name (M§9.3). */

/** `doubling`: twice the workers. `half`: half the load. `probe`: an idle agent beside the loaded ones. */
export const EXPERIMENTS = ['doubling', 'half', 'probe'] as const;

/** One of them. */
export type Experiment = (typeof EXPERIMENTS)[number];
