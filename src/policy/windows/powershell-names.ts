/** Aliases that PowerShell has from the start, as far as they matter here: the ones for deleting, moving about, listing and running text. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "remove-item": "ri rm rmdir rd del erase",
    "get-childitem": "gci ls dir",
    "get-item": "gi",
    "resolve-path": "rvpa",
    "convert-path": "cvpa",
    "set-location": "cd chdir sl",
    "push-location": "pushd",
    "pop-location": "popd",
    "foreach-object": "% foreach",
    "where-object": "? where",
    "select-object": "select",
    "sort-object": "sort",
    "get-unique": "gu",
    "tee-object": "tee",
    "invoke-expression": "iex",
    "invoke-command": "icm",
    "start-process": "saps start",
    "start-job": "sajb",
    "set-alias": "sal",
    "new-alias": "nal",
    "import-alias": "ipal",
    "set-variable": "sv set",
    "new-variable": "nv",
    "set-item": "si",
    "new-item": "ni md mkdir",
    "import-module": "ipmo",
    "get-content": "gc cat type",
    "write-output": "echo write",
  }).flatMap(([name, short]) => short.split(" ").map((alias) => [alias, name] as const)),
);

/** All dashes that PowerShell takes for one (en, em, horizontal bar). */
const dashes = /[\u2013\u2014\u2015]/g;

/** The name that a command word stands for, in lower case: module prefix, folder, `.exe` and aliases taken away. */
export function commandName(word: string): string {
  const bare = word.replace(dashes, "-").toLowerCase().trim();
  // `cd..` and `cd\` are functions of their own.
  if (/^cd(\.\.|[\\/~])$/.test(bare)) return "set-location";
  const name = bare
    .slice(Math.max(bare.lastIndexOf("\\"), bare.lastIndexOf("/")) + 1)
    .replace(/\.(exe|com|cmd|bat|ps1)$/, "");
  return aliases.get(name) ?? name;
}

/** Programs that run commands with the rights of another account. */
export function isElevation(name: string): boolean {
  return /^(sudo|sudoedit|sudo-rs|doas|su|pkexec|run0)$/.test(name);
}

/** Cmdlets after which names, folders or loaded code mean something else, and those that run text or programs. */
export function changesMeaning(name: string): boolean {
  return /^((set|new|import)-alias|(set|new)-variable|set-item|new-item|import-module|invoke-expression|invoke-command|start-process|start-job|add-type|set-location|push-location|pop-location|set-psbreakpoint|register-.*|enter-pssession|function|filter|using|class|workflow|update-typedata|new-module|powershell|pwsh|cmd|wsl|bash|sh)$/.test(
    name,
  );
}

/** Words that start a statement with blocks: what follows a block is a new statement. */
export function isKeyword(name: string): boolean {
  return /^(if|elseif|else|while|for|foreach|switch|do|until|try|catch|finally|trap|function|filter|workflow|begin|process|end|clean|dynamicparam|param|class|enum|data|parallel|sequence|inlinescript|return|throw|exit)$/.test(
    name,
  );
}

/** Parameters of Remove-Item, Get-ChildItem, Get-Item and Set-Location, longest use first where a short form fits several. */
const parameters = [
  "recurse",
  "path",
  "literalpath",
  "force",
  "filter",
  "include",
  "exclude",
  "whatif",
  "confirm",
  "verbose",
  "debug",
  "erroraction",
  "errorvariable",
  "warningaction",
  "warningvariable",
  "informationaction",
  "informationvariable",
  "outvariable",
  "outbuffer",
  "pipelinevariable",
  "progressaction",
  "credential",
  "stream",
  "stackname",
  "passthru",
  "depth",
  "name",
  "directory",
  "file",
  "hidden",
  "system",
  "readonly",
  "attributes",
  "followsymlink",
  "usetransaction",
];
const shortForms: Readonly<Record<string, string>> = {
  lp: "literalpath",
  pspath: "literalpath",
  wi: "whatif",
  cf: "confirm",
  vb: "verbose",
  db: "debug",
  ea: "erroraction",
  ev: "errorvariable",
  wa: "warningaction",
  wv: "warningvariable",
  ov: "outvariable",
  ob: "outbuffer",
  pv: "pipelinevariable",
  s: "recurse",
  ad: "directory",
  af: "file",
  ah: "hidden",
  ar: "readonly",
  as: "system",
};

/** A parameter with the value that is glued to it by a colon. */
export interface Parameter {
  readonly name: string;
  readonly glued: string | undefined;
  /** True where its value is the next word. */
  readonly takesNext: boolean;
}

/** Reads a word such as `-rec`, `-Recurse:$false`, `–Path:C:\`. Undefined: it is no parameter. */
export function readParameter(text: string): Parameter | undefined {
  const found = /^-([a-z_?][\w?-]*)(?::(.*))?$/is.exec(text.replace(/^[\u2013\u2014\u2015]/, "-"));
  if (found?.[1] === undefined) return undefined;
  const short = found[1].toLowerCase();
  const name = shortForms[short] ?? parameters.find((full) => full.startsWith(short)) ?? short;
  const isSwitch =
    /^(recurse|force|whatif|confirm|verbose|debug|passthru|name|directory|file|hidden|system|readonly|followsymlink|usetransaction)$/.test(
      name,
    ) || !parameters.includes(name);
  return { name, glued: found[2], takesNext: !isSwitch && found[2] === undefined };
}
