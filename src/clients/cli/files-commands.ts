import type { Command } from "commander";
import { registerFilesEdit } from "./files-edit-command.ts";
import { registerFilesMoves } from "./files-move-commands.ts";
import { registerFilesRemovals } from "./files-remove-commands.ts";
import { registerFilesTrash } from "./files-trash-commands.ts";

/** `sallyport files`: changes of files and folders, each whole or not at all. */
export function registerFiles(program: Command): void {
  const group =
    program.commands.find((command) => command.name() === "files") ??
    program
      .command("files")
      .summary("change files and folders")
      .description(
        "Change files and folders. Each change is done whole or not at all; what is removed can be restored.",
      );
  registerFilesEdit(group);
  registerFilesMoves(group);
  registerFilesRemovals(group);
  registerFilesTrash(group);
}
