/** The value of `result.json` (design §10). */

/** The whole value. */
export interface ResultValue {
  readonly schema: 'loadfleet/result/v1';
}
