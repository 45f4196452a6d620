import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Link } from "../../src/sandbox/link.ts";
import { frameType, windowBytes } from "../../src/wire/protocol.ts";
import { cut, exitPayload, frameBytes } from "../wire/frames.ts";
import { bounds, exitOf, request, session } from "./link-values.ts";
import { MemoryCarrier, words } from "./memory-carrier.ts";

describe("whatever init sends", () => {
  const types = Object.values(frameType);
  const anything = fc.record({
    type: fc.oneof(fc.constantFrom(...types), fc.nat(255)),
    channel: fc.constantFrom(0, 1, 2, 3, 4, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(
        words(1),
        words(9, 0),
        words(0, 0, 0, 0, 0, 0),
        words(65536),
        exitPayload({ code: 0 }),
        Buffer.alloc(65536),
      ),
    ),
  });
  /** What makes sense now and then, so that states are reached. */
  const sensible = fc.constantFrom(
    ...[2, 3, 4].flatMap((channel) => [
      { type: frameType.started, channel, payload: words(7) },
      { type: frameType.stdout, channel, payload: Buffer.alloc(50_000) },
      { type: frameType.exit, channel, payload: exitPayload({ code: 1 }) },
    ]),
    { type: frameType.open, channel: 0x80000000, payload: Buffer.alloc(0) },
    { type: frameType.eof, channel: 0x80000000, payload: Buffer.alloc(0) },
  );

  test("the link lives on or ends with every command told, holds no more than it granted, and no other link notices", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 3, arbitrary: sensible }, { weight: 1, arbitrary: anything }), { maxLength: 40 }),
        fc.array(fc.nat(70_000), { maxLength: 20 }),
        async (frames, sizes) => {
          const [hostile, other] = [new MemoryCarrier(), new MemoryCarrier()];
          const [bad, good] = [new Link(hostile, session), new Link(other, session)];
          hostile.hello();
          other.hello();
          bad.onConnection(() => {});
          const processes = [1, 2, 3].map(() => bad.spawn(request, bounds));
          const starts = processes.map((process) =>
            process.started.then(
              () => true,
              () => false,
            ),
          );
          const kept = good.spawn(request, bounds);
          other.receive(frameBytes(frameType.started, kept.channel, words(7)));
          const whole = Buffer.concat(frames.map(({ type, channel, payload }) => frameBytes(type, channel, payload)));
          for (const chunk of cut(whole, sizes)) hostile.receive(chunk);
          const broken = hostile.ended !== undefined;
          bad.end("over");
          expect(await bad.gone).toBe(broken ? hostile.ended : "over");
          await Promise.all([...starts, ...processes.map((process) => process.ended)]);
          for (const process of processes) {
            let bytes = 0;
            let exits = 0;
            try {
              for await (const event of process.events) {
                if ("data" in event) bytes += event.data.length;
                if (event.kind === "exit") exits += 1;
              }
              expect(exits).toBe(1);
            } catch (error) {
              expect(error).toMatchObject({ name: "Problem" });
              expect(exits).toBe(0);
            }
            expect(bytes).toBeLessThanOrEqual(windowBytes);
          }
          other.receive(frameBytes(frameType.exit, kept.channel, exitPayload({ code: 4 })));
          expect(await exitOf(kept)).toMatchObject({ code: 4 });
        },
      ),
      { numRuns: 300 },
    );
  });
});
