import type {
  AnswerRequest,
  AnswerResponse,
  ApprovalsServiceWatchResponse,
  Question,
  TryEditRequest,
  TryEditResponse,
} from "../../gen/sallyport/v1/approvals_pb.ts";

/** The queue of questions as a surface sees it that runs inside the sidecar. People are named as the surface proved them. */
export interface SurfacePort {
  /** The open questions first, then every change, until the signal aborts. @throws SallyportError for a reader that falls far behind */
  watch(signal: AbortSignal): AsyncIterable<ApprovalsServiceWatchResponse>;
  /** The open ones, the oldest first. */
  list(): Promise<readonly Question[]>;
  /** Answers once, for a person. @throws SallyportError `permission_denied` for everybody but an admin by the settings of this moment; otherwise as ApprovalsService.Answer */
  answer(request: AnswerRequest, person: string): Promise<AnswerResponse>;
  /** What an edited text would do; answers nothing. @throws SallyportError `permission_denied` for everybody but an admin; otherwise as ApprovalsService.TryEdit */
  tryEdit(request: TryEditRequest, person: string): Promise<TryEditResponse>;
  /** True for an admin by the settings of this moment; false for all while they cannot be read. */
  isAdmin(person: string): boolean;
}

/** Where a surface tells what happens to it. Values of the `.env` are struck out behind it. */
export interface SurfaceLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
