import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FetchHeaderSchema } from "../../gen/sallyport/v1/fetch_pb.ts";
import type { FetchResult } from "../ports/acting.ts";

/** The header of an answer. */
export type FetchHeader = MessageInitShape<typeof FetchHeaderSchema>;

/** One part of an answer. */
export type FetchPart =
  | { readonly kind: "header"; readonly header: FetchHeader; readonly size: number }
  | { readonly kind: "data"; readonly data: Uint8Array }
  /** The text did not fit. */
  | { readonly kind: "cut" }
  | { readonly kind: "trailer"; readonly bytes: number; readonly truncated: boolean };

/** An upper bound of the header's bytes. */
export function sizeOf({ headers, hops, finalUrl }: FetchResult): number {
  let units = finalUrl.length;
  for (const [name, value] of headers) units += name.length + value.length + 8;
  for (const hop of hops) units += hop.url.length + hop.address.length + 32;
  return units * 3 + 1024;
}
