import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { once } from "node:events";
import type { SallyportClient } from "../../src/clients/client/create-client.ts";
import { SallyportError } from "../../src/clients/client/sallyport-error.ts";
import { AnswerKind, type Question } from "../../src/gen/sallyport/v1/approvals_pb.ts";
import { Tier } from "../../src/gen/sallyport/v1/common_pb.ts";
import { WriteDisposition } from "../../src/gen/sallyport/v1/files_pb.ts";
import { runCommand } from "../e2e/support/run-command.ts";
import { scriptedApprover } from "../e2e/support/scripted-approver.ts";
import { startSallyport } from "../e2e/support/start-sallyport.ts";

/** How one request ended. */
export interface Step {
  readonly number: number;
  readonly request: string;
  /** `allowed`: nobody was asked. `asked, …`: a person answered. `refused`: nobody was asked, nothing happened. */
  readonly result: "allowed" | "asked, allowed" | "asked, denied" | "refused";
  /** First lines of what came back. */
  readonly shown: string;
}

/** What the whole play left behind. */
export interface Play {
  readonly steps: readonly Step[];
  readonly auditOk: boolean;
  readonly auditRecords: number;
  /** Requests that reached the loopback server which must never be reached. */
  readonly canaryHits: number;
}

const mean = `/** Mean of the weights in grams; 0 for none. */
export function mean(weights) {
  return weights.length === 0 ? 0 : weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
}
`;
const meanTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { mean } from "../src/mean.js";

test("mean of weights", () => {
  assert.equal(mean([100, 200]), 150);
});
`;

/** Plays an agent's session of twenty requests against a small npm project, through the public API, and tells `say` each step. */
export async function play(say: (step: Step) => void): Promise<Play> {
  const sallyport = await startSallyport();
  const canary = createServer((_request, response) => {
    canaryHits += 1;
    response.end("you should not be here");
  });
  let canaryHits = 0;
  try {
    canary.listen(0, "127.0.0.1");
    await once(canary, "listening");
    const address = canary.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;

    const project = sallyport.workspace;
    cpSync(join(import.meta.dirname, "project"), project, { recursive: true });
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      ["-c", "user.name=demo", "-c", "user.email=demo@example.test", "commit", "-qm", "start"],
    ])
      execFileSync("git", ["-C", project, ...args]);

    const admin = sallyport.client();
    const { token } = await admin.agents.createToken({ agent: "demo-agent", tier: Tier.FULL });
    const agent = sallyport.client(token);
    const approver = scriptedApprover(admin, answerFor);
    const steps: Step[] = [];
    for (const request of script(agent, project, port)) {
      const before = approver.seen.length;
      const { ok, shown } = await request.act().then(
        (text) => ({ ok: true, shown: text }),
        (error: unknown) => ({ ok: false, shown: reasonOf(error) }),
      );
      const asked = approver.seen.length > before;
      const result = asked ? (ok ? "asked, allowed" : "asked, denied") : ok ? "allowed" : "refused";
      const step: Step = { number: steps.length + 1, request: request.name, result, shown };
      steps.push(step);
      say(step);
    }
    await approver.stop();
    const chain = await admin.audit.verify({});
    return { steps, auditOk: chain.ok, auditRecords: Number(chain.records), canaryHits };
  } finally {
    canary.close();
    await sallyport.remove();
  }
}

/** What the person at the terminal would say. */
function answerFor(question: Question): { answer: AnswerKind; message?: string } {
  if (question.title.includes("node --version")) return { answer: AnswerKind.ALWAYS_ALLOW };
  if (question.title.includes("/etc/shadow"))
    return { answer: AnswerKind.DENY, message: "passwords are none of your business" };
  if (question.title.includes("--output")) return { answer: AnswerKind.DENY };
  // Nothing in this play needs the network.
  if (question.findings.some((finding) => finding.effect?.kind.case === "reach")) return { answer: AnswerKind.DENY };
  return { answer: AnswerKind.ALLOW };
}

interface Request {
  readonly name: string;
  act(): Promise<string>;
}

function script(agent: SallyportClient, project: string, port: number): readonly Request[] {
  const exec = (text: string): Request => ({
    name: `exec   ${text}`,
    async act() {
      const { stdout, stderr, end } = await runCommand(agent, text);
      return `exit ${end.code ?? `signal ${end.signal}`}\n${stdout}${stderr}`;
    },
  });
  const read = (path: string): Request => ({
    name: `read   ${path.replace(`${project}/`, "")}`,
    async act() {
      const parts: Uint8Array[] = [];
      for await (const { part } of agent.files.read({ path })) if (part.case === "data") parts.push(part.value);
      return Buffer.concat(parts).toString();
    },
  });
  const write = (path: string, text: string): Request => ({
    name: `write  ${path.replace(`${project}/`, "")}`,
    async act() {
      async function* parts() {
        yield {
          part: { case: "start" as const, value: { path, disposition: WriteDisposition.CREATE, makeParents: true } },
        };
        yield { part: { case: "data" as const, value: Buffer.from(text) } };
      }
      const { bytes } = await agent.files.write(parts());
      return `${bytes} bytes`;
    },
  });
  const fetch = (url: string): Request => ({
    name: `fetch  ${url.replace(`:${port}`, ":PORT")}`,
    async act() {
      const { header } = await agent.fetch.get({ spec: { url } });
      return `status ${header?.status ?? 0}`;
    },
  });
  return [
    exec("ls -a"),
    read(`${project}/package.json`),
    exec("cat src/total.js"),
    {
      name: "list   src",
      async act() {
        const { entries } = await agent.files.list({ path: `${project}/src` });
        return entries.map((entry) => entry.name).join("\n");
      },
    },
    exec("git status"),
    exec("npm test"),
    exec("pwd && git log"),
    exec("rm -rf ~"),
    exec("sudo id"),
    exec(`sh -c 'cd / && rm -r "$HOME"'`),
    read("/etc/shadow"),
    write(`${project}/src/mean.js`, mean),
    write(`${project}/test/mean.test.js`, meanTest),
    exec("npm test"),
    exec("git diff --output=/tmp/leak"),
    fetch(`http://127.0.0.1:${port}/`),
    fetch("http://[::ffff:169.254.169.254]/latest/meta-data/"),
    exec("node -e 'console.log(6 * 7)'"),
    exec("node --version"),
    exec("node --version"),
  ];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof SallyportError)) throw error;
  const { denial } = error;
  if (denial === undefined) return error.message;
  return `${denial.because}${denial.ruleId === "" ? "" : ` (${denial.source}: ${denial.ruleId})`}`;
}
