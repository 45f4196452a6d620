/** One POST to the service of a surface. */
export interface ServiceRequest {
  /** Of the origin that the settings name. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  /** Milliseconds until everything must be there. */
  readonly timeoutMs: number;
}

/** What the service said, whole. */
export interface ServiceAnswer {
  readonly status: number;
  /** By lower-case name; the first where there are several. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Sends to one service and nowhere else; follows no redirect. @throws Error where there is no answer, with a message that holds no secret */
export type ServiceFetch = (request: ServiceRequest) => Promise<ServiceAnswer>;
