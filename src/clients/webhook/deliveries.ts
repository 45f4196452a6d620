import { randomBytes } from "node:crypto";
import { create, toJson } from "@bufbuild/protobuf";
import {
  type ApprovalsServiceWatchResponse,
  ApprovalsServiceWatchResponseSchema,
  type Question,
  type QuestionClosed,
} from "../../gen/sallyport/v1/approvals_pb.ts";
import type { QuestionFollower } from "../surface/follow-questions.ts";
import { pause, type Patience, waitWanted } from "../surface/pause.ts";
import type { SurfaceLog } from "../surface/surface-port.ts";
import type { SurfaceState } from "../surface/surface-state.ts";
import type { Delivery } from "./deliver.ts";

/** What deliveries are made with. */
export interface DeliveriesParts {
  /** Sends one body once; never rejects. */
  readonly send: (body: Uint8Array, signal: AbortSignal) => Promise<Delivery>;
  readonly state: Pick<SurfaceState, "set">;
  readonly log: SurfaceLog;
  readonly patience: Patience;
  /** Milliseconds after which the end of a question is told no more. */
  readonly endsAfterMs: number;
}

/** Tells a program of every question and its end: for one question in order, each until it arrived. */
export interface Deliveries extends QuestionFollower {
  /** Sends an empty message, so that a mistake in the settings shows at once. */
  greet(): void;
  /** Resolves when nothing is under way any more; comes soon once the signal aborted. */
  settled(): Promise<void>;
}

/** Something to be told. Written anew for each attempt: a thousand large questions would not fit into memory twice. */
interface Message {
  /** Stays the same when it is sent again. */
  readonly delivery: string;
  readonly content: ApprovalsServiceWatchResponse["event"];
}

/** One question's way: what is to be told of it, the older first. */
interface Lane {
  opened: Message | undefined;
  closed: Message | undefined;
  /** True once the program may know of it. */
  attempted: boolean;
  isOpen: boolean;
  /** When its end is told no more. */
  givenUpAt: number;
}

/** Questions of which something is still to be told. */
const mostLanes = 2000;
/** Requests to the program at a time. */
const mostAtOnce = 4;

/** Makes the queue of deliveries. It ends with the signal. */
export function createDeliveries(parts: DeliveriesParts, signal: AbortSignal): Deliveries {
  const { send, state, log, patience, endsAfterMs } = parts;
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  const turns = createTurns(mostAtOnce);

  function start(id: string, lane: Lane): void {
    const work = run(id, lane).finally(() => running.delete(work));
    running.add(work);
  }

  async function run(id: string, lane: Lane): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const message = lane.opened ?? lane.closed;
      if (message === undefined) break;
      if (!lane.isOpen && Date.now() > lane.givenUpAt) {
        log.warn({ question: id }, "the webhook was not told how a question ended");
        break;
      }
      const delivery = await turns.take(() => {
        // Whatever was waited for may be over by now.
        if (signal.aborted || (lane.opened ?? lane.closed) !== message) return Promise.resolve(undefined);
        lane.attempted = true;
        return send(bodyOf(message), signal);
      });
      if (delivery === undefined) continue;
      if (signal.aborted) break;
      state.set(delivery.kind === "done" ? undefined : delivery.why);
      if (delivery.kind === "later") {
        failures += 1;
        await pause(waitWanted(delivery.waitMs, failures, patience), signal);
        continue;
      }
      if (delivery.kind === "never") log.warn({ question: id, why: delivery.why }, "the webhook refused a message");
      failures = 0;
      if (lane.opened === message) lane.opened = undefined;
      else if (lane.closed === message) lane.closed = undefined;
    }
    if (!lane.isOpen || signal.aborted) lanes.delete(id);
    runningLanes.delete(lane);
  }

  const runningLanes = new Set<Lane>();
  function kick(id: string, lane: Lane): void {
    if (signal.aborted || runningLanes.has(lane)) return;
    runningLanes.add(lane);
    start(id, lane);
  }

  return {
    greet() {
      const lane = {
        ...newLane(),
        isOpen: false,
        givenUpAt: Number.POSITIVE_INFINITY,
        opened: messageOf({ case: undefined }),
      };
      lanes.set("", lane);
      kick("", lane);
    },
    opened(question: Question) {
      const known = lanes.get(question.id);
      if (known === undefined && lanes.size >= mostLanes) {
        log.warn({ question: question.id }, "the webhook is not told of a question: too many wait");
        return;
      }
      const lane = known ?? newLane();
      lane.opened = messageOf({ case: "opened", value: question });
      lanes.set(question.id, lane);
      kick(question.id, lane);
    },
    closed(closed: QuestionClosed) {
      const lane = lanes.get(closed.id);
      if (lane === undefined) return;
      lane.isOpen = false;
      lane.opened = undefined;
      // What the program cannot have heard of needs no end.
      if (!lane.attempted) {
        lanes.delete(closed.id);
        return;
      }
      lane.closed = messageOf({ case: "closed", value: closed });
      lane.givenUpAt = Date.now() + endsAfterMs;
      kick(closed.id, lane);
    },
    get open() {
      return [...lanes].filter(([, { isOpen }]) => isOpen).map(([id]) => id);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

function newLane(): Lane {
  return { opened: undefined, closed: undefined, attempted: false, isOpen: true, givenUpAt: 0 };
}

function messageOf(content: Message["content"]): Message {
  return { delivery: randomBytes(12).toString("base64url"), content };
}

/** The event in the JSON mapping of proto3, every field present; one without an event is a greeting. */
function bodyOf({ delivery, content }: Message): Uint8Array {
  const event = create(ApprovalsServiceWatchResponseSchema, { event: content });
  const json = toJson(ApprovalsServiceWatchResponseSchema, event, { alwaysEmitImplicit: true });
  return Buffer.from(
    JSON.stringify(content.case === undefined ? { delivery, ping: {} } : Object.assign({ delivery }, json)),
  );
}

/** Lets so many run at a time, in the order in which they came. */
function createTurns(most: number): { take<T>(run: () => Promise<T>): Promise<T> } {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return {
    async take(run) {
      if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy += 1;
      try {
        return await run();
      } finally {
        const next = waiting.shift();
        if (next === undefined) busy -= 1;
        else next();
      }
    },
  };
}
