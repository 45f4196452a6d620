import { Command } from "commander";
import { registerClientCommands } from "../../../src/clients/cli/register-client-commands.ts";

// What main.ts does, without the commands that serve.
const program = new Command("sallyport");
registerClientCommands(program);
await program.parseAsync();
