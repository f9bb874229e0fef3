/** Rows of requests on their way from a worker to the main thread. */

/** Some rows, in the order of their ends. */
export interface RecordBlock {
  /** Room for more rows than are filled. */
  readonly rows: Float64Array<ArrayBuffer>;
  /** Rows filled, from the first. */
  readonly count: number;
}

/** What was logged since the last hand-over. */
export interface LoggedRequests {
  readonly blocks: readonly RecordBlock[];
  /** Requests that ended and have no row, because of the worker's limit. */
  readonly leftOut: number;
}
