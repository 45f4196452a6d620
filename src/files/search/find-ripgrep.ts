import { accessSync, constants } from "node:fs";

/** Where distributions put it. Not looked for in PATH: what stands there belongs to whoever started the server. */
const places = ["/usr/bin/rg", "/usr/local/bin/rg"];

/** Where the search program is: the one that npm brought, or the system's. Undefined where there is none. */
export async function findRipgrep(): Promise<string | undefined> {
  const candidates = [await fromNpm(), ...places];
  return candidates.find((place) => place !== undefined && isProgram(place));
}

/** The package throws while it is loaded where it has no binary for this platform. */
async function fromNpm(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined;
  }
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
