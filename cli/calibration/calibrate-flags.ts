/** The flags of `loadfleet calibrate`, read and checked. */

/** The flags as commander gives them. */
export interface CalibrateFlags {
  /** Per worker and second. */
  readonly rate: number;
  /** Length of a step, ns. */
  readonly step: number;
  readonly workers: number;
  /** Service time of every request, ns. */
  readonly service: number;
  readonly client: readonly string[];
  readonly out?: string;
}
