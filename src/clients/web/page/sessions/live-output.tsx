import { useEffect, useRef, useState } from "preact/hooks";
import { api, faultWords } from "../api.ts";
import { addOutput, emptyOutput, type Output } from "./output-lines.ts";

const showEveryMs = 100;

/** The output of a process, as it comes: the last lines of it, nothing of it markup or a terminal's command. */
export function LiveOutput({ sessionId, processId }: { readonly sessionId: string; readonly processId: string }) {
  const [output, setOutput] = useState<Output>(emptyOutput);
  const [state, setState] = useState("live");
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const stop = new AbortController();
    // A chatty program must not have every one of its lines drawn on its own.
    let latest = emptyOutput;
    const timer = setInterval(() => setOutput(latest), showEveryMs);
    const follow = async (): Promise<void> => {
      const decoder = new TextDecoder();
      const request = { sessionId, processId };
      for await (const { event } of api.exec.attach(request, { signal: stop.signal }))
        switch (event.case) {
          case "stdout":
          case "stderr":
            latest = addOutput(latest, decoder.decode(event.value, { stream: true }));
            break;
          case "lost":
            latest = addOutput(latest, `\n[${event.value.bytes} bytes are no longer kept]\n`);
            break;
          case "exit":
          case undefined:
            break;
        }
    };
    follow()
      .then(() => setState("ended"))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setState(faultWords(error));
      })
      .finally(() => setOutput(latest));
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [sessionId, processId]);
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
