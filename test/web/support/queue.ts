import { randomBytes } from "node:crypto";
import type { AnswerKind } from "../../../src/model/gate-ports.ts";
import { parseQuestionId, parseSessionId, type QuestionId } from "../../../src/model/ids.ts";
import { parseChannel } from "../../../src/model/subject.ts";
import { Problem } from "../../../src/model/problem.ts";
import type { Approvals, OpenQuestion, QuestionEvent } from "../../../src/server/ports/people.ts";
import { bot, sure } from "../../server/open-server.ts";

/** An answer that counted. */
export interface Given {
  readonly id: QuestionId;
  readonly kind: string;
  readonly by: string;
  readonly message: string | undefined;
  readonly edited: string | undefined;
  readonly plan: string | undefined;
  readonly waiting: number | undefined;
  readonly also: readonly QuestionId[];
}

/** The queue behind the page, held in a test's hands: whatever it asks, unlike the real queue, reaches the page as it is. */
export interface Queue {
  readonly port: Approvals;
  readonly given: Given[];
  ask(question: Partial<OpenQuestion>): OpenQuestion;
  /** Somebody else answered, or it was withdrawn. */
  close(id: QuestionId, answer: AnswerKind | undefined, by: string): void;
}

/** Makes an empty queue. */
export function makeQueue(): Queue {
  const open = new Map<QuestionId, OpenQuestion>();
  const given: Given[] = [];
  const watchers = new Set<(event: QuestionEvent) => void>();
  const tell = (event: QuestionEvent): void => {
    for (const watcher of watchers) watcher(event);
  };
  const close: Queue["close"] = (id, answer, by) => {
    if (open.delete(id)) tell({ kind: "closed", id, answer, by });
  };
  return {
    given,
    close,
    ask(question) {
      const asked: OpenQuestion = {
        id: sure(parseQuestionId(randomBytes(16).toString("base64url"))),
        agent: bot,
        session: sure(parseSessionId(randomBytes(16).toString("base64url"))),
        channel: sure(parseChannel("socket")),
        title: "Run npm install in /work",
        detail: "bash\n| npm install\nfolder\n| /work",
        findings: [],
        allowDrafts: [{ capability: "shell", match: "npm install *", effect: "allow" }],
        denyDrafts: [{ capability: "shell", match: "npm install *", effect: "deny" }],
        askedAt: new Date(),
        deadline: new Date(Date.now() + 300_000),
        suspicious: false,
        answers: ["allow", "always-allow", "deny", "always-deny", "allow-session", "allow-for", "edit-and-allow"],
        waiting: 1,
        group: "",
        marks: [],
        editable: "npm install",
        places: [
          { file: "user", path: "/home/u/.config/sallyport/permissions.yaml" },
          { file: "workspace", path: "/home/u/.config/sallyport/workspaces/w/permissions.yaml" },
        ],
        waitsForCaller: false,
        ...question,
      };
      open.set(asked.id, asked);
      tell({ kind: "opened", question: asked });
      return asked;
    },
    port: {
      async *watch(signal) {
        const held: QuestionEvent[] = [...open.values()].map((question) => ({ kind: "opened", question }));
        let wake = (): void => {};
        const take = (event: QuestionEvent): void => {
          held.push(event);
          wake();
        };
        const stop = (): void => wake();
        watchers.add(take);
        signal.addEventListener("abort", stop);
        try {
          while (!signal.aborted) {
            const event = held.shift();
            if (event !== undefined) yield event;
            else await new Promise<void>((resolve) => (wake = resolve));
          }
        } finally {
          watchers.delete(take);
          signal.removeEventListener("abort", stop);
        }
      },
      list: () => [...open.values()],
      answer(id, reply, by, also) {
        if (!open.has(id)) throw new Problem("failed_precondition", "somebody else was first");
        const { kind, message } = reply;
        const { edited, plan, waiting } = reply;
        given.push({ id, kind, by: `${by.agent} on ${by.channel}`, message, edited, plan, waiting, also });
        for (const each of [id, ...also]) close(each, kind, `${by.agent} on ${by.channel}`);
        return { rules: [], notCounted: [] };
      },
      tryEdit(id, edited) {
        if (!open.has(id)) throw new Problem("failed_precondition", "somebody else was first");
        if (edited.includes("sudo")) throw new Problem("failed_precondition", `run ${edited}: nothing lifts it`);
        const detail = `bash\n| ${edited}`;
        return {
          title: `Run ${edited}`,
          detail,
          findings: [],
          marks: [],
          suspicious: false,
          plan: `plan of ${edited}`,
        };
      },
      proposals: () => [],
    },
  };
}
