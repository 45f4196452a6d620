import { join } from "node:path";
import { defaultLimits } from "../config/load-settings.ts";
import type { RuntimeOptions } from "../sandbox/create-runtime.ts";
import type { Places } from "./places.ts";

const initPath = join(import.meta.dirname, "../../images/init/build/sallyport-init");

/** What the runtimes of one Sallyport are made with. Engines are found as their own clients find them. */
export function runtimeOptions({ home, state, runtime, settings }: Places, env: NodeJS.ProcessEnv): RuntimeOptions {
  const { timeoutMs, outputBytes } = settings;
  const verify = env["DOCKER_TLS_VERIFY"] ?? "";
  return {
    engineHost: env["DOCKER_HOST"],
    podmanHost: env["CONTAINER_HOST"],
    certFolder: env["DOCKER_CERT_PATH"] ?? (verify === "" ? undefined : `${home}/.docker`),
    userRuntimeDir: env["XDG_RUNTIME_DIR"],
    runtimeFolder: runtime,
    initPath,
    owner: state,
    defaultLimits,
    timeoutMs,
    outputBytes,
  };
}
