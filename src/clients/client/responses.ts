import { decodeError } from "./decode-error.ts";

/** The receiving half of a grpc-js call. */
export interface ResponseStream<T> extends AsyncIterable<T> {
  cancel(): void;
}

/** The responses of a call. Leaving the loop cancels it; `done` is called once it is over. @throws SallyportError */
export async function* responses<T>(call: ResponseStream<T>, done: () => void): AsyncGenerator<T, void, undefined> {
  try {
    for await (const message of call) yield message;
  } catch (error) {
    throw decodeError(error);
  } finally {
    done();
    // Leaving a `for await` destroys the local stream only; the server would go on.
    call.cancel();
  }
}
