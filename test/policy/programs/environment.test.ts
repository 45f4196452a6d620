import { describe, expect, test } from "vitest";
import { changesWhatRuns, traceFile } from "../../../src/policy/shell/programs/environment.ts";
import { literal } from "../../../src/policy/shell/programs/words.ts";

describe("variables", () => {
  test.each(
    `PATH IFS ENV BASH_ENV PS4 PROMPT_COMMAND CDPATH GLOBIGNORE HOME LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GIT_SSH_COMMAND GIT_DIR GIT_PAGER PAGER MANPAGER
    EDITOR GIT_EDITOR VISUAL NODE_OPTIONS npm_config_script_shell NPM_CONFIG_PREFIX PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT RUBYLIB LESSOPEN LESS RIPGREP_CONFIG_PATH
    TAR_OPTIONS GREP_OPTIONS BASH_FUNC_ls%% SHELLOPTS MAKEFLAGS CC RUSTC_WRAPPER GOFLAGS JAVA_TOOL_OPTIONS XDG_CONFIG_HOME SSLKEYLOGFILE https_proxy WGETRC KUBECONFIG DOCKER_HOST
    SSH_ASKPASS GCONV_PATH TMPDIR VIMINIT ZDOTDIR SUDO_ASKPASS BROWSER CURL_HOME RSYNC_RSH`.split(/\s+/),
  )("%s changes what runs", (name) => {
    expect(changesWhatRuns(name)).toBe(true);
  });

  test.each(
    "X FOO CI NODE_ENV DEBUG LANG LC_ALL TZ TERM RUST_LOG FORCE_COLOR NO_COLOR PORT VERSION i file DATABASE_URL GIT_TRACE GIT_TRACE2_EVENT".split(
      " ",
    ),
  )("%s does not", (name) => {
    expect(changesWhatRuns(name)).toBe(false);
  });

  test("names the file that git traces to", () => {
    for (const name of [
      "GIT_TRACE",
      "GIT_TRACE2",
      "GIT_TRACE2_EVENT",
      "GIT_TRACE2_PERF",
      "GIT_TRACE_PACKET",
      "GIT_TRACE_CURL",
    ]) {
      expect(traceFile(name, literal("/x/t"))).toEqual(literal("/x/t"));
    }
    for (const value of ["1", "2", "true", "0", "t"]) expect(traceFile("GIT_TRACE", literal(value))).toBeUndefined();
    expect(traceFile("TRACE", literal("/x"))).toBeUndefined();
  });
});
