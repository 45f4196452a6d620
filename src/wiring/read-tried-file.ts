import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { ConfigProblem } from "../config/config-fault.ts";
import { invalid } from "../model/problem.ts";
import { configText, maxConfigBytes, type ConfigText } from "../config/read-config-file.ts";

/**
 * Reads a rules file that is only tried, from anywhere: nothing holds by it, so it may be a pipe, lie in /tmp, or belong to somebody else. `-` is standard input.
 * @throws ConfigProblem where it is too long or no UTF-8; Problem `invalid_argument` where it cannot be read.
 */
export async function readTriedFile(file: string, stdin: Readable): Promise<ConfigText> {
  const name = file === "-" ? "standard input" : resolve(file);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of readable(file === "-" ? stdin : createReadStream(name))) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    length += part.length;
    if (length > maxConfigBytes)
      throw new ConfigProblem([{ file: name, line: 0, column: 0, message: `is longer than ${maxConfigBytes} bytes` }]);
    parts.push(part);
  }
  return configText(name, Buffer.concat(parts));
}

async function* readable(from: Readable): AsyncGenerator {
  try {
    yield* from;
  } catch (error) {
    throw invalid("file", error instanceof Error ? error.message : "cannot be read");
  }
}
