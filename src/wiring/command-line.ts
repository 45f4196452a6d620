import { Command } from "commander";
import { registerClientCommands } from "../clients/cli/register-client-commands.ts";
import { registerDiff } from "./diff-command.ts";
import { registerDoctor } from "./doctor-command.ts";
import { registerOfflineCommands } from "./offline-commands.ts";
import { registerWebCommand } from "./web-command.ts";

/** Runs the command line of this process. */
export async function runCommandLine(): Promise<void> {
  const program = new Command("sallyport")
    .description("A sandboxing execution proxy: exec, file and fetch behind one decision and one approval queue.")
    .version("0.1.0");
  registerClientCommands(program);

  // What runs in this process is loaded only where it is asked for: a client command must start fast.
  program
    .command("serve")
    .description("start Sallyport for a folder")
    .option("--workspace <folder>", "the folder that agents work in", process.cwd())
    .option("--socket <path>", "where to listen")
    .option("--listen <host:port>", "listen on TCP as well; anything but the loopback needs TLS in the settings")
    .option("--approve", "answer questions in this terminal")
    .action(async (options: { workspace: string; socket?: string; listen?: string; approve?: boolean }) => {
      const { serve } = await import("./serve.ts");
      // Everything is closed by now; a request that an engine never answered would keep the process for ever.
      process.exit(await serve(options));
    });

  registerDoctor(program);
  registerDiff(program);
  registerOfflineCommands(program);
  registerWebCommand(program);

  program.hook("preAction", () => {
    // node:sqlite calls itself experimental on Node 22 only; nobody who runs a command can act on that.
    process.removeAllListeners("warning");
  });

  await program.parseAsync();
}
