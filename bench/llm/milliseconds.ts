/** How the LLM benches print a duration. */

/** ns as `1.23 ms`; `-` where there is none. */
export function milliseconds(ns: number | null | undefined): string {
  return ns === null || ns === undefined ? '-' : `${(ns / 1e6).toFixed(2)} ms`;
}
