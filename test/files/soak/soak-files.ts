import * as fc from "fast-check";
import { fuzzActs, fuzzPath, FuzzWorld } from "../support/fuzz-world.ts";
import { prepareRace, raceActs, raceFaults, secret } from "../support/race-acts.ts";
import { underSwaps } from "../support/under-swaps.ts";
import { makeWorkspace } from "../support/workspace.ts";

// `make soak-files SECONDS=60`: every act of the file service against a folder that is swapped for a link, then against random paths, each for so long.
const seconds = Number(process.argv[2] ?? "60");
const faults = [...(await race()), ...(await fuzz())];
for (const fault of faults) console.log(`FAULT ${fault}`);
console.log(faults.length === 0 ? "nothing got out" : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function race(): Promise<string[]> {
  const found: string[] = [];
  const names = await raceNames();
  for (const name of names) {
    // Each with a folder of its own: the swapping ends anywhere.
    const w = makeWorkspace();
    prepareRace(w);
    const act = (await raceActs(w))[name];
    if (act === undefined) throw new Error(`no such act: ${name}`);
    let [swaps, until] = [0, 0];
    const { got, refused, times } = await underSwaps(w.root, act, (_acts, done) => {
      if (until === 0) until = performance.now() + (seconds * 1000) / names.length;
      swaps = done;
      return performance.now() > until;
    });
    const wrong = [...got].filter((text) => text.includes(secret)).map((text) => `${name}: ${text.slice(0, 200)}`);
    found.push(...wrong, ...raceFaults(w));
    console.log(
      `${name.padEnd(14)} ${String(times).padStart(8)} times, ${String(swaps).padStart(8)} swaps, refused: ${[...refused].join(" ")}`,
    );
    w.remove();
  }
  return found;
}

async function raceNames(): Promise<string[]> {
  const w = makeWorkspace();
  const names = Object.keys(await raceActs(w));
  w.remove();
  return names;
}

async function fuzz(): Promise<string[]> {
  const world = new FuzzWorld();
  const found: string[] = [];
  const until = performance.now() + seconds * 1000;
  const seed = Date.now() % 2 ** 31;
  let tried = 0;
  for (let batch = 0; performance.now() < until; batch += 1)
    for (const path of fc.sample(fuzzPath, { numRuns: 200, seed: seed + batch }))
      for (const kind of fuzzActs) {
        if (performance.now() > until) break;
        tried += 1;
        found.push(...(await world.act(kind, path)));
      }
  world.w.remove();
  console.log(
    `paths: ${tried} tried from seed ${seed}; done: ${[...world.done].map(([kind, times]) => `${kind} ${times}`).join(", ")}`,
  );
  return found;
}
