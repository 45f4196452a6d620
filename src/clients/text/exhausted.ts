/** Marks the end of an exhaustive `switch`: does not compile while a variant is unhandled, throws if one arrives at run time. */
export function exhausted(value: never): never {
  throw new Error(`unhandled variant: ${JSON.stringify(value)}`);
}
