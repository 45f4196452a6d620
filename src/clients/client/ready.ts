import type { Client } from "@grpc/grpc-js";
import { SallyportError } from "./sallyport-error.ts";

/** Connects a channel. @throws SallyportError `unavailable` where that takes longer than `timeoutMs` */
export function ready(channel: Client, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.waitForReady(Date.now() + timeoutMs, (error) => {
      if (error === undefined) resolve();
      else reject(new SallyportError("unavailable", `no connection within ${timeoutMs} ms`, { cause: error }));
    });
  });
}
