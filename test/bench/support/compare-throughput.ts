import { type Ask, forwarded, type Load, tunnelled, type Way } from "./egress-asks.ts";
import { processorCell, processorMs } from "./processor-time.ts";
import { startBudget } from "./time-budget.ts";

const kinds: readonly (readonly [string, Ask, (bytes: number) => Load, number])[] = [
  ["forwarded down", forwarded, (down) => ({ down }), 1],
  ["tunnelled down", tunnelled, (down) => ({ down }), 1],
  ["forwarded up", forwarded, (up) => ({ down: 0, up }), 1],
  ["tunnelled up", tunnelled, (up) => ({ down: 0, up }), 1],
  ["forwarded down, chunked", forwarded, (down) => ({ down, chunked: true }), 1],
  ["forwarded down", forwarded, (down) => ({ down }), 64],
  ["tunnelled down", tunnelled, (down) => ({ down }), 64],
];

/** Milliseconds for each kind, after which no further round begins. */
const budgetMs = 10_000;
const rounds = 16;

/** What one way has moved and used. */
interface Moved {
  wallMs: number;
  processorMs: number;
}

/** Rounds of a sixteenth of the size, in turn, after one that does not count; a round is shared by those at once. */
export async function compareThroughput(ways: readonly Way[], origin: number, mebibytes: number): Promise<void> {
  const size = (mebibytes * 1024 * 1024) / rounds;
  for (const [what, kind, load, atOnce] of kinds) {
    const moved = new Map<string, Moved>(ways.map(({ name }) => [name, { wallMs: 0, processorMs: 0 }]));
    const turn = async (way: Way): Promise<Moved> => {
      const before = processorMs(way);
      const started = performance.now();
      await Promise.all(Array.from({ length: atOnce }, () => kind(origin, way, load(Math.ceil(size / atOnce)))));
      return { wallMs: performance.now() - started, processorMs: processorMs(way) - before };
    };
    for (const way of ways) await turn(way);
    const goesOn = startBudget(rounds, budgetMs);
    let done = 0;
    for (; goesOn(done); done += 1)
      for (const way of ways) {
        const found = await turn(way);
        const sum = moved.get(way.name);
        if (sum === undefined) continue;
        sum.wallMs += found.wallMs;
        sum.processorMs += found.processorMs;
      }
    print(`${what}, ${atOnce} at once`, moved, size * done);
  }
}

function print(what: string, moved: ReadonlyMap<string, Moved>, bytes: number): void {
  for (const [name, { wallMs, processorMs: ms }] of moved) {
    const rate = `${(bytes / 1000 / wallMs).toFixed(0)} MB/s`.padStart(12);
    const each = `${processorCell(ms / (bytes / 2 ** 30))} per GiB`;
    console.log(`${`${what}, ${name}`.padEnd(44)}${rate}${each}${(bytes / 2 ** 20).toFixed(0).padStart(8)} MiB`);
  }
  const [ours, theirs] = [moved.get("Sallyport"), moved.get("tinyproxy")];
  if (ours === undefined || theirs === undefined) return;
  const [throughput, processor] = [theirs.wallMs / ours.wallMs, theirs.processorMs / ours.processorMs];
  console.log(
    `  of tinyproxy's: throughput ${throughput.toFixed(2)}, throughput for each second of processor ${processor.toFixed(2)}`,
  );
}
