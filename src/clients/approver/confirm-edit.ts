import type { Prompted, Prompts } from "./prompts.ts";

/** What a person may say to an edited command that he was shown. */
export type EditWord = "allow" | "edit" | "back";

/** Asks whether an edited command that was shown may run. Starts on Back: nothing runs by an Enter that was meant for the text. */
export function confirmEdit(prompts: Prompts, mayEdit: boolean): Promise<Prompted<EditWord>> {
  return prompts.choose<EditWord>(
    "Run it in the place of what was asked for",
    [
      { value: "allow", label: "Allow this instead", hint: "this once" },
      ...(mayEdit ? [{ value: "edit", label: "Edit further" } as const] : []),
      { value: "back", label: "Back", hint: "answers nothing" },
    ],
    "back",
  );
}
