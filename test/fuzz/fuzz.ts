import type { ShellName } from "../../src/model/intent.ts";
import { faultFinder } from "./find-fault.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { createRandom } from "./random.ts";
import { shrink } from "./shrink.ts";

// Made-up texts through parse and decide for FUZZ_SECONDS (60). Fails on a crash, a decision that costs more than 50 ms of processor time, an `allow` for what a real bash would run
// beyond the read-only list, and a denial that other text around it takes away. SALLYPORT_SEED=<number> repeats a run.
const seconds = Number(process.env["FUZZ_SECONDS"] ?? "60");
const wish = process.env["SALLYPORT_SEED"] ?? "random";
const seed = wish === "random" ? Date.now() % 2 ** 31 : Number(wish);
if (!(seconds > 0) || !Number.isSafeInteger(seed))
  throw new Error("FUZZ_SECONDS must be above 0, SALLYPORT_SEED a whole number");

const random = createRandom(seed);
const makers = { bash: hostileTexts("bash"), powershell: hostileTexts("powershell"), cmd: hostileTexts("cmd") };
const find = faultFinder({ timed: true });
const counts = new Map<string, number>();
const slowest: { cost: number; shell: ShellName; text: string }[] = [];
let faults = 0;

const end = performance.now() + seconds * 1000;
while (performance.now() < end) {
  const shell = random.pick(["bash", "bash", "bash", "powershell", "cmd"]);
  const { kind, text } = makers[shell](random);
  const { fault, cost } = find(text, shell);
  counts.set(`${shell} ${kind}`, (counts.get(`${shell} ${kind}`) ?? 0) + 1);
  if (cost > (slowest.at(-1)?.cost ?? 0) || slowest.length < 5) {
    slowest.push({ cost, shell, text });
    slowest.sort((a, b) => b.cost - a.cost).splice(5);
  }
  if (fault === undefined) continue;
  faults += 1;
  const least =
    fault.kind === "slow" ? text : shrink(text, (shorter) => find(shorter, shell).fault?.kind === fault.kind);
  if (faults <= 20)
    console.log(
      `${fault.kind}: ${fault.detail}\n  ${shell}, ${text.length} characters: ${JSON.stringify(least.slice(0, 600))}`,
    );
}

const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `${total} texts in ${seconds} s, seed ${seed}: ${[...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")}`,
);
console.log(`slowest, goal 50 ms of processor time:`);
for (const { cost, shell, text } of slowest)
  console.log(
    `  ${cost.toFixed(1).padStart(6)} ms  ${shell}, ${text.length} characters: ${JSON.stringify(text.slice(0, 100))}`,
  );
console.log(faults === 0 ? "no faults" : `${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
