import { useEffect, useRef, useState } from "preact/hooks";
import { api, faultWords } from "../api.ts";
import { useVisible } from "../parts/use-visible.ts";
import { inStreamPlace, waitingWords } from "../stream-place.ts";
import { endWords } from "./end-words.ts";
import { addOutput, emptyOutput, type Output } from "./output-lines.ts";

const showEveryMs = 100;

/** The output of a process, as it comes: the last lines of it, nothing of it markup or a terminal's command. */
export function LiveOutput({ sessionId, processId }: { readonly sessionId: string; readonly processId: string }) {
  const [output, setOutput] = useState<Output>(emptyOutput);
  const [state, setState] = useState("live");
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  const visible = useVisible();
  /** What was read so far: it goes on from there when somebody looks again. */
  const read = useRef({ output: emptyOutput, offset: 0n, over: false });
  useEffect(() => {
    if (!visible || read.current.over) return undefined;
    const stop = new AbortController();
    // A chatty program must not have every one of its lines drawn on its own.
    const timer = setInterval(() => setOutput(read.current.output), showEveryMs);
    const add = (text: string): void => {
      read.current.output = addOutput(read.current.output, text);
    };
    const follow = async (): Promise<void> => {
      setState("live");
      const decoder = new TextDecoder();
      let end = "ended";
      const request = { sessionId, processId, offset: read.current.offset };
      for await (const { event, offset } of api.exec.attach(request, { signal: stop.signal }))
        switch (event.case) {
          case "stdout":
          case "stderr":
            read.current.offset = offset + BigInt(event.value.length);
            add(decoder.decode(event.value, { stream: true }));
            break;
          case "lost":
            read.current.offset = offset + event.value.bytes;
            add(`\n[${event.value.bytes} bytes are not shown here]\n`);
            break;
          case "exit":
            end = endWords(event.value);
            break;
          case undefined:
            break;
        }
      read.current.over = true;
      setState(end);
    };
    inStreamPlace(stop.signal, () => setState(waitingWords), follow)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setState(faultWords(error));
      })
      .finally(() => setOutput(read.current.output));
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [sessionId, processId, visible]);
  useEffect(() => {
    const place = box.current;
    if (place !== null && atEnd.current) place.scrollTop = place.scrollHeight;
  }, [output]);
  return (
    <div class="output">
      <p class="quiet" role="status">
        {state === "live" ? "Live" : state}
        {output.dropped > 0 && `, ${output.dropped.toLocaleString("en")} earlier lines are not shown`}
      </p>
      <pre
        ref={box}
        tabIndex={0}
        aria-label="Output"
        dir="ltr"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          atEnd.current = scrollHeight - scrollTop - clientHeight < 8;
        }}
      >
        {output.lines.join("\n")}
      </pre>
    </div>
  );
}
