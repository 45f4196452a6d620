import { play } from "./play.ts";

const shownLines = 6;

const { auditOk, auditRecords } = await play(({ number, request, result, shown }) => {
  const lines = shown.trimEnd().split("\n");
  const more = lines.length > shownLines ? [`… ${lines.length - shownLines} more lines`] : [];
  console.log(`${String(number).padStart(2)}  ${request}\n    → ${result}`);
  for (const line of [...lines.slice(0, shownLines), ...more]) console.log(`      ${line}`);
});
console.log(`\nThe record holds ${auditRecords} entries; its chain ${auditOk ? "verifies" : "IS BROKEN"}.`);
