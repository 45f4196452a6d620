import type { SandboxSpec } from "../model/runtime.ts";

/** A spec whose image is settled. */
export interface ImagedSpec extends SandboxSpec {
  readonly image: string;
}
