/** What variables mean that every Windows session has, and `HOME` of PowerShell. Names in lower case. Undefined: not known. */
export function knownVariable(name: string, home: string): string | undefined {
  const drive = /^[a-z]:/i.exec(home)?.[0] ?? "C:";
  const rest = home.replace(/^[a-z]:/i, "");
  switch (name) {
    case "home":
    case "userprofile":
      return home;
    case "homedrive":
    case "systemdrive":
      return drive;
    case "homepath":
      return rest;
    case "username":
      return rest.slice(rest.lastIndexOf("\\") + 1);
    case "windir":
    case "systemroot":
      return `${drive}\\Windows`;
    case "programfiles":
    case "programw6432":
      return `${drive}\\Program Files`;
    case "programfiles(x86)":
      return `${drive}\\Program Files (x86)`;
    case "commonprogramfiles":
      return `${drive}\\Program Files\\Common Files`;
    case "comspec":
      return `${drive}\\Windows\\System32\\cmd.exe`;
    case "programdata":
    case "allusersprofile":
      return `${drive}\\ProgramData`;
    case "public":
      return `${drive}\\Users\\Public`;
    case "appdata":
      return `${home}\\AppData\\Roaming`;
    case "localappdata":
      return `${home}\\AppData\\Local`;
    case "temp":
    case "tmp":
      return `${home}\\AppData\\Local\\Temp`;
    case "onedrive":
      return `${home}\\OneDrive`;
    default:
      return undefined;
  }
}
