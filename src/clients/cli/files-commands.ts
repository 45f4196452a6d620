import type { Command } from "commander";
import { registerFilesArchives } from "./files-archive-commands.ts";
import { registerFilesEdit } from "./files-edit-command.ts";
import { registerFilesMoves } from "./files-move-commands.ts";
import { registerFilesRemovals } from "./files-remove-commands.ts";
import { registerFilesSearch } from "./files-search-command.ts";
import { registerFilesTrash } from "./files-trash-commands.ts";
import { registerFilesWatch } from "./files-watch-command.ts";

/** `sallyport files`: what is done with files and folders beside reading, writing and listing them. */
export function registerFiles(program: Command): void {
  const group =
    program.commands.find((command) => command.name() === "files") ??
    program
      .command("files")
      .summary("change, search, watch, pack files and folders")
      .description(
        "Change files and folders: each change is done whole or not at all; what is removed can be restored. Search and watch folders, and move them as archives.",
      );
  registerFilesEdit(group);
  registerFilesMoves(group);
  registerFilesRemovals(group);
  registerFilesTrash(group);
  registerFilesSearch(group);
  registerFilesWatch(group);
  registerFilesArchives(group);
}
