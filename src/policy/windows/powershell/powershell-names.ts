import { programName } from "../programs/program-call.ts";

/** Aliases that PowerShell has from the start (Get-Alias), as far as they lead to a command that is known here. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "add-content": "ac",
    "clear-content": "clc",
    "clear-host": "cls clear",
    "clear-item": "cli",
    "clear-variable": "clv",
    "compare-object": "compare diff",
    "convert-path": "cvpa",
    "copy-item": "cp copy cpi",
    "export-alias": "epal",
    "export-csv": "epcsv",
    "foreach-object": "% foreach",
    "format-list": "fl",
    "format-table": "ft",
    "format-wide": "fw",
    "format-custom": "fc",
    "format-hex": "fhx",
    "get-alias": "gal",
    "get-childitem": "gci ls dir",
    "get-command": "gcm",
    "get-content": "gc cat type",
    "get-history": "h history ghy",
    "get-item": "gi",
    "get-itemproperty": "gp",
    "get-itempropertyvalue": "gpv",
    "get-job": "gjb",
    "get-location": "gl pwd",
    "get-member": "gm",
    "get-module": "gmo",
    "get-process": "gps ps",
    "get-psdrive": "gdr",
    "get-service": "gsv",
    "get-unique": "gu",
    "get-variable": "gv",
    "get-wmiobject": "gwmi",
    "group-object": "group",
    "import-alias": "ipal",
    "import-csv": "ipcsv",
    "import-module": "ipmo",
    "invoke-command": "icm",
    "invoke-expression": "iex",
    "invoke-history": "ihy r",
    "invoke-item": "ii",
    "invoke-restmethod": "irm",
    "invoke-webrequest": "iwr",
    "invoke-wmimethod": "iwmi",
    "measure-object": "measure",
    "move-item": "mi move mv",
    "new-alias": "nal",
    "new-item": "ni md mkdir",
    "new-psdrive": "ndr mount",
    "new-variable": "nv",
    "out-host": "oh",
    "pop-location": "popd",
    "push-location": "pushd",
    "remove-item": "ri rm rmdir rd del erase",
    "remove-itemproperty": "rp",
    "remove-wmiobject": "rwmi",
    "rename-item": "rni ren",
    "resolve-path": "rvpa",
    "select-object": "select",
    "select-string": "sls",
    "set-alias": "sal",
    "set-content": "sc",
    "set-item": "si",
    "set-itemproperty": "sp",
    "set-location": "cd chdir sl",
    "set-variable": "sv set",
    "set-wmiinstance": "swmi",
    "sort-object": "sort",
    "start-job": "sajb",
    "start-process": "saps start",
    "start-sleep": "sleep",
    "stop-process": "kill spps",
    "tee-object": "tee",
    "test-path": "tp",
    "where-object": "? where",
    "write-output": "echo write",
    "invoke-cimmethod": "icim",
  }).flatMap(([name, short]) => short.split(" ").map((alias) => [alias, name] as const)),
);

/** All dashes that PowerShell takes for one (en, em, horizontal bar). */
const dashes = /[\u2013\u2014\u2015]/g;

/** The command that a word stands for, in lower case: module prefix, folder, `.exe` and aliases taken away. */
export function commandName(word: string, own: ReadonlyMap<string, string> = new Map()): string {
  const bare = word.replace(dashes, "-").toLowerCase().trim();
  // `cd..` and `cd\` are functions of their own.
  if (/^cd(\.\.|[\\/~])$/.test(bare)) return "set-location";
  let name =
    /[\\/]/.test(bare) && !/[\\/][\w-]+$/.test(bare) ? programName(bare) : bare.slice(bare.lastIndexOf("\\") + 1);
  // `where.exe` and `sc.exe` are programs, whatever the alias without the extension stands for.
  const isProgram = /\.(exe|com|bat|cmd)$/.test(name) && !own.has(name);
  name = own.has(name) ? name : programName(name);
  if (isProgram) return name;
  for (let turns = 0; turns < 8; turns += 1) {
    const next = own.get(name) ?? aliases.get(name);
    if (next === undefined || next === name) return name;
    name = next;
  }
  return name;
}

/** A cmdlet's name as its documentation writes it, near enough for rules: each word of verb and noun with a capital. */
export function properName(name: string): string {
  const compound: Readonly<Record<string, string>> = {
    childitem: "ChildItem",
    itemproperty: "ItemProperty",
    webrequest: "WebRequest",
    restmethod: "RestMethod",
    scheduledtask: "ScheduledTask",
    wmimethod: "WmiMethod",
    wmiobject: "WmiObject",
    cimmethod: "CimMethod",
    psdrive: "PSDrive",
    bitstransfer: "BitsTransfer",
    localuser: "LocalUser",
    executionpolicy: "ExecutionPolicy",
  };
  const found = /^([a-z]+)-([a-z]\w*)$/.exec(name);
  if (found?.[1] === undefined || found[2] === undefined) return name;
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  return `${capital(found[1])}-${compound[found[2]] ?? capital(found[2])}`;
}

/** Cmdlets after which names, folders or loaded code mean something else, and those that run text or programs. */
export function changesMeaning(name: string): boolean {
  return /^((set|new|import)-alias|(set|new)-variable|set-item|clear-item|new-psdrive|import-module|invoke-(expression|command|item|history|wmimethod|cimmethod)|start-(process|job|threadjob)|add-type|(set|push|pop)-location|set-psbreakpoint|register-.*|enter-pssession|function|filter|using|class|workflow|update-typedata|new-module|new-object|new-scheduledtask.*|foreach-object|where-object)$/.test(
    name,
  );
}

/** Cmdlets that change accounts, services, devices, packages or settings of the machine. */
export function changesMachine(name: string): boolean {
  return /^((new|set|remove|enable|disable|rename)-(localuser|localgroup|service|net\w+|vm\w*)|(add|remove)-localgroupmember|(start|stop|restart|suspend|resume)-service|(stop|restart|rename|add|remove|checkpoint|restore|reset)-computer\w*|set-(executionpolicy|acl|date|timezone|culture|winsystemlocale|wmiinstance)|(install|uninstall|update|save|publish)-(module|package|packageprovider|script|psresource)|(set|register|unregister)-(psrepository|packagesource)|(enable|disable)-\w+|(set|add|remove)-mppreference|(add|remove|install|uninstall)-(windows\w+|appx\w+|printer\w*)|(new|set|remove|rename|clear)-itemproperty|(clear|limit|remove|new)-eventlog|(mount|dismount|initialize|resize|new|set|optimize|repair)-(disk\w*|volume|partition|vhd|storage\w*)|(new|import|connect)-pssession|import-alias|remove-wmiobject|(set|remove|unregister)-scheduledtask\w*)$/.test(
    name,
  );
}

/** Words that start a statement with blocks: what follows a block is a new statement. */
export function isKeyword(name: string): boolean {
  return /^(if|elseif|else|while|for|foreach|switch|do|until|try|catch|finally|trap|function|filter|workflow|configuration|begin|process|end|clean|dynamicparam|param|class|enum|data|parallel|sequence|inlinescript|return|throw|exit|break|continue|using)$/.test(
    name,
  );
}
