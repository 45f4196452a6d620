import type { ProgramCall } from "./program-call.ts";

/** Programs that come with Windows and take options behind a slash: a POSIX reading of their words would be wrong. */
const tools: ReadonlySet<string> = new Set(
  `arp assoc at attrib auditpol bcdedit bitsadmin bootcfg cacls certreq certutil chcp chkdsk chkntfs choice cipher cleanmgr clip cmdkey comp compact
  control convert cscript defrag diskpart diskshadow dism dispdiag djoin doskey dotnet-counters driverquery dsadd esentutl eventcreate expand explorer
  extrac32 fc find findstr forfiles format fsutil ftype getmac gpresult gpupdate hostname icacls ipconfig label logman logoff makecab manage-bde
  mode more mountvol msconfig mshta msiexec mstsc nbtstat net net1 netsh netstat nltest notepad nslookup openfiles pathping ping pnputil powercfg print
  qprocess query quser qwinsta rasdial recover reg regedit regini regsvr32 replace robocopy route rundll32 sc schtasks sdelete sdelete64 setx sfc
  shutdown sigverif sort subst systeminfo takeown taskkill tasklist timeout tracert tree tskill typeperf tzutil verify vol vssadmin w32tm waitfor
  wbadmin wevtutil where whoami winget winmgmt winrm winrs wmic wscript wsreset wusa xcopy`.split(/\s+/),
);

/** True for a program of Windows itself. */
export function isWindowsTool(name: string): boolean {
  return tools.has(name);
}

/** What these do is not in their words, or cannot be undone: a rule that lets everything pass must not let them pass in silence. */
export function hidesWhatItDoes({ name, words }: Pick<ProgramCall, "name" | "words">): string | undefined {
  if (
    /^(rundll32|regsvr32|mshta|wscript|cscript|msiexec|diskshadow|hh|cmstp|installutil|regasm|msdt|control|wusa)$/.test(
      name,
    )
  )
    return "it runs what a file holds";
  const first = (words[0] ?? "").toLowerCase();
  if (
    changesMachine(
      name,
      words.map((word) => (word ?? "").toLowerCase()),
    )
  )
    return `${name} changes the machine, or files that it does not name`;
  if (/^(vssadmin|wbadmin)$/.test(name) && !/^(list|query|get|help|\/\?)$/.test(first))
    return "it takes away what a restore needs";
  if (name === "bcdedit" && words.length > 0 && !/^\/(enum|v|\?)$/.test(first))
    return "it changes how the machine starts";
  if (/^(sdelete|sdelete64|manage-bde|fsutil|cipher|takeown)$/.test(name))
    return "it changes a disk in a way that cannot be undone";
  return undefined;
}

/** Tools that change accounts, services, settings or files, by what they are told: only what is known to look alone is left out (their /?). */
function changesMachine(name: string, words: readonly string[]): boolean {
  const [first = ""] = words;
  if (/^[/-](\?|h|help)$/.test(first)) return false;
  switch (name) {
    case "net":
    case "net1":
      return words.length > 1 && !/^(view|statistics|config|time|help|helpmsg)$/.test(first);
    case "sc":
      return !/^(query\w*|qc|qdescription|qfailure|qtriggerinfo|getdisplayname|getkeyname|enumdepend|sdshow|showsid|)$/.test(
        first,
      );
    case "reg":
      return !/^(query|compare|flags|add|delete|)$/.test(first);
    case "netsh":
      return words.length > 0 && !words.some((word) => /^(show|dump)$/.test(word));
    case "wevtutil":
      return !/^(el|gl|ep|gp|qe|gli|enum-\w+|get-\w+|query-events|)$/.test(first);
    case "powercfg":
      return !/^[/-](l|list|q|query|a|availablesleepstates|devicequery|lastwake|waketimers|requests|aliases|getactivescheme|)$/.test(
        first,
      );
    case "dism":
      return !words.some((word) => /^\/(get-\w+|checkhealth|scanhealth)$/.test(word));
    case "pnputil":
      return !/^[/-](enum-\w+|e)$/.test(first);
    case "w32tm":
      return !/^[/-](query|tz|stripchart|monitor|ntte)$/.test(first);
    case "certutil":
      return !/^[/-](hashfile|dump|store|verify\w*|asn|error|)$/.test(first);
    case "auditpol":
      return !/^[/-](get|list)$/.test(first);
    case "mountvol":
    case "subst":
      return words.length > 0;
    case "chkdsk":
      return words.some((word) => /^\/[frxb]$/.test(word));
    case "winget":
      return !/^(list|search|show|source|--version|--info|)$/.test(first);
    default:
      return /^(regedit|regini|setx|shutdown|logoff|bitsadmin|esentutl|extrac32|makecab|expand|replace|djoin|dsadd|cmdkey|convert|defrag|label|compact|recover|sfc|winrm|winrs|wsreset|sdelete|rasdial|tzutil|gpupdate|winmgmt|eventcreate|ftype|assoc|cleanmgr|bootcfg|certreq|manage-bde)$/.test(
        name,
      );
  }
}
