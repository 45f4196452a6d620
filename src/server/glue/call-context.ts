import type { Caller } from "../../model/subject.ts";

/** What every call has, also where nobody has to say who he is. */
export interface OpenContext {
  /** Full name of the method, such as `sallyport.v1.ExecService.Run`. */
  readonly method: string;
  /** Aborts where the caller cancels, hangs up or runs into its deadline; the reason is a Problem. */
  readonly signal: AbortSignal;
  /** Aborts when the server begins to shut down: streams that only watch end then, everything else may finish. */
  readonly draining: AbortSignal;
  /** When the caller stops waiting; undefined where it gave no deadline. */
  readonly deadline: Date | undefined;
  /** Values of one request header, by its lower-case name. */
  readonly metadata: (name: string) => readonly string[];
}

/** A call whose caller is proven. */
export interface CallContext extends OpenContext {
  readonly caller: Caller;
}
