#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// Compiled code is kept in the user's own cache folder, never in the shared default one: it halves the start of a command.
enableCompileCache(join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "sallyport"));

const { runCommandLine } = await import("./wiring/command-line.ts");
await runCommandLine();
