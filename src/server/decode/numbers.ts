import { invalid } from "../../model/problem.ts";

/** Checks that a whole number lies between two bounds, both included. @throws Problem `invalid_argument`. */
export function decodeWithin(field: string, value: number, least: number, most: number): number {
  if (value < least || value > most) throw invalid(field, `${value} is not between ${least} and ${most}`);
  return value;
}

/** A 64-bit count as a number, `most` at most. @throws Problem `invalid_argument`. */
export function decodeCount(field: string, value: bigint, most: number = Number.MAX_SAFE_INTEGER): number {
  if (value > BigInt(most)) throw invalid(field, `${value} is more than ${most}`);
  return Number(value);
}
