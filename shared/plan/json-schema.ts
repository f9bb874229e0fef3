/** A JSON Schema (draft 2020-12) as plain data: what a field says of itself for editors. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
