import { describe, expect, it } from "vitest";
import { checkSchema } from "../../src/config/check-schema.ts";
import { ConfigProblem } from "../../src/config/config-fault.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { settingsSchema } from "../../src/config/settings-schema.ts";
import { toWeb, webFault } from "../../src/config/web-settings.ts";
import { parseAbsolutePath } from "../../src/model/absolute-path.ts";
import { sure } from "../server/open-server.ts";

const path = (text: string) => sure(parseAbsolutePath(text));
const parse = (text: string) =>
  checkSchema(settingsSchema, parseConfig({ file: "sallyport.yaml", text, hash: "" })).web;

describe("web", () => {
  it("is the loopback where nothing is said, and can be off", () => {
    expect(toWeb(parse("log: { level: info }"), path)).toMatchObject({ host: "127.0.0.1", port: 7444, exposed: false });
    expect(toWeb(parse("web: off"), path)).toBeUndefined();
    expect(toWeb(parse("web: { listen: off }"), path)).toBeUndefined();
  });

  it("needs both TLS and a word beyond this machine", () => {
    const tls = "tls: { cert: /c, key: /k }";
    expect(webFault(parse("web: { listen: '0.0.0.0:7444' }"))).toContain("web.tls and `exposed: true`");
    expect(webFault(parse(`web: { listen: '0.0.0.0:7444', ${tls} }`))).toContain("exposed");
    expect(webFault(parse("web: { listen: 'box.example:7444', exposed: true }"))).toContain("web.tls");
    expect(webFault(parse(`web: { listen: '0.0.0.0:7444', ${tls}, exposed: true }`))).toBeUndefined();
    for (const listen of ["127.0.0.1:1", "localhost:1", "'[::1]:1'"])
      expect(webFault(parse(`web: { listen: ${listen} }`))).toBeUndefined();
  });

  it.each([
    ["web: { lisen: off }", 'did you mean "listen"?'],
    ["web: { listen: 7444 }", "must be a text"],
    ["web: { names: ['https://x'] }", "must be a host name"],
    ["web: { idle: 1s }", "must be between"],
    ["web: on", "must be a section"],
  ])("refuses %s", (text, reason) => {
    expect(() => parse(text)).toThrow(ConfigProblem);
    expect(() => parse(text)).toThrow(reason);
  });
});
