import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";

export const secret = "a-secret-of-more-than-thirty-two-characters";

/** A message that arrived. */
export interface Arrived {
  readonly delivery: string;
  readonly kind: "ping" | "opened" | "closed";
  /** Of the question; empty for a greeting. */
  readonly id: string;
  readonly body: string;
  /** True where the signature is of this body and of now. */
  readonly signed: boolean;
}

/** A program that is told of questions. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly arrived: readonly Arrived[];
  /** What the next messages are answered with; 204 where nothing is said. `cut`: it arrives, and the connection is cut. */
  answer(...statuses: (number | "cut" | { readonly status: number; readonly retryAfter: string })[]): void;
  /** What messages are answered with from now on where nothing else is said. */
  otherwise(status: number): void;
  /** Answers nothing until the function that it returns is called. */
  hold(): () => void;
  until<T>(condition: () => T | undefined | false): Promise<T>;
  close(): Promise<void>;
}

/** HMAC-SHA256 as a program that knows nothing of Sallyport makes it. */
export function macOf(way: string, time: number, body: string, key = secret): string {
  return createHmac("sha256", key).update(`${way}.${time}.${body}`).digest("hex");
}

/** Starts a program on loopback; ended with the test. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const arrived: Arrived[] = [];
  const statuses: Parameters<Receiver["answer"]>[0][] = [];
  const conditions = new Set<() => void>();
  let usual = 204;
  let held = Promise.resolve();
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const message = JSON.parse(body) as Record<string, { id?: string }> & { delivery: string };
      const kind = (["ping", "opened", "closed"] as const).find((one) => one in message) ?? "ping";
      const [, time = "", mac] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers["sallyport-signature"])) ?? [];
      const signed = mac === macOf("question", Number(time), body) && Math.abs(Date.now() / 1000 - Number(time)) < 60;
      const status = statuses.shift() ?? usual;
      arrived.push({ delivery: message.delivery, kind, id: message[kind]?.id ?? "", body, signed });
      for (const condition of conditions) condition();
      await held;
      if (status === "cut") request.socket.destroy();
      else if (typeof status === "number") response.writeHead(status).end();
      else response.writeHead(status.status, { "retry-after": status.retryAfter }).end();
    })();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${address.port}/hooks/sallyport`,
    port: address.port,
    arrived,
    answer: (...list) => void statuses.push(...list),
    otherwise: (status) => void (usual = status),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = Promise.resolve();
        resolve();
      };
    },
    until(condition) {
      return new Promise((resolve) => {
        const check = (): void => {
          const value = condition();
          if (value === undefined || value === false) return;
          conditions.delete(check);
          resolve(value);
        };
        conditions.add(check);
        check();
      });
    },
    close,
  };
}
