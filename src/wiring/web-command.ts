import type { Command } from "commander";

/** Adds `web password --reset`: it needs no server, for whoever may write the state folder is the owner. */
export function registerWebCommand(program: Command): void {
  program
    .command("web")
    .description("the web page")
    .command("password")
    .description("Makes a new password for the page and prints it, this once. Logs every browser out.")
    .requiredOption("--reset", "replace the password of now, which no longer counts")
    .action(async () => {
      const { findPlaces } = await import("./places.ts");
      const { resetPassword } = await import("./web-room.ts");
      try {
        process.umask(0o077);
        process.stdout.write(`${await resetPassword(findPlaces(process.env, {}))}\n`);
      } catch (error) {
        process.stderr.write(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exitCode = 1;
      }
    });
}
