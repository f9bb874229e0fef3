/**
 * Ends an exhaustive `switch` over a union: it does not compile while a case is missing,
 * and throws if a value from outside the type system arrives all the same.
 */
export function assertNever(value: never): never {
  throw new Error(`value outside its union: ${JSON.stringify(value)}`);
}
