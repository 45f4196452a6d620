import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type AbsolutePath, parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { type ConfigPaths, configPaths } from "../../src/config/config-paths.ts";

/** A folder of its own with configuration places in it, removed after the test. */
export function scratch(): {
  readonly home: AbsolutePath;
  readonly paths: ConfigPaths;
  readonly put: (file: string, text: string, mode?: number) => void;
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-config-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = path(folder);
  const paths = configPaths({ home, env: { SALLYPORT_MANAGED_DIR: `${folder}/etc` } });
  return {
    home,
    paths,
    put(file, text, mode = 0o600) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
    },
  };
}

export function path(text: string): AbsolutePath {
  const parsed = parseAbsolutePath(text);
  if (parsed === undefined) throw new Error(`not a path: ${text}`);
  return parsed;
}
