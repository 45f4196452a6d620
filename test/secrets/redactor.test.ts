import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/secrets/redactor.ts";

const redactor = createRedactor();
const redact = (text: string): string => redactor.redact(text);

/** Put together at run time, so that no scanner of repositories takes these for real ones. */
const made = (prefix: string, unit: string, length: number): string => prefix + unit.repeat(length).slice(0, length);

const jwt = [
  made("eyJ", "hbGciOiJIUzI1NiJ9", 17),
  made("eyJ", "zdWIiOiIxMjM0NTY3ODkwIn0", 24),
  made("", "dozjgNryP4J3jVmN", 32),
].join(".");

const tokens: readonly (readonly [string, string])[] = [
  ["aws", made("AKIA", "IOSFODNN7EXAMPLE", 16)],
  ["google", made("AIza", "SyA1b2C3d4_E5-", 35)],
  ["google", made("GOCSPX-", "aB3dE", 28)],
  ["google", made("ya29.", "a0Af_B-3", 40)],
  ["github", made("ghp_", "a1B2c3", 36)],
  ["github", made("github_pat_", "11ABC_de", 50)],
  ["gitlab", made("glpat-", "x1Y2-z", 20)],
  ["npm", made("npm_", "a1B2", 36)],
  ["pypi", made("pypi-AgE", "IcHlwaS5vcmc", 40)],
  ["slack", made("xoxb-", "123456789012-", 39)],
  ["slack", made("hooks.slack.com/services/", "T00000000/B0000000/", 40)],
  ["model-provider", made("sk-", "aB3dE6", 48)],
  ["model-provider", made("sk-ant-api03-", "aB3-d_E6", 80)],
  ["jwt", jwt],
  ["telegram", `123456789:${made("AA", "Hdq_T-cH", 33)}`],
  ["hugging-face", made("hf_", "aBcD", 34)],
  ["twilio", made("SK", "0123456789abcdef", 32)],
  ["stripe", made("sk_live_", "a1B2", 24)],
  ["sendgrid", made("SG.", "aB1_.-", 66)],
];

describe("shapes of tokens", () => {
  it.each(tokens)("strikes %s in the middle of a sentence", (id, token) => {
    expect(redact(`use ${token}, then stop`)).toBe(`use [redacted:${id}], then stop`);
  });

  it.each(tokens)("strikes %s at the very start and end, and twice", (id, token) => {
    expect(redact(`${token} ${token}`)).toBe(`[redacted:${id}] [redacted:${id}]`);
  });
});

describe("secrets that are named or placed", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["password=hunter2 next", "password=[redacted:named] next"],
    ["export DB_PASSWORD='p4ss!word'", "export DB_PASSWORD='[redacted:named]'"],
    ['{"api_key": "zz1122", "n": 1}', '{"api_key": "[redacted:named]", "n": 1}'],
    [String.raw`{\"secret\":\"abcd1234\"}`, String.raw`{\"secret\":\"[redacted:named]\"}`],
    ["clientSecret: abcd1234", "clientSecret: [redacted:named]"],
    ["aws_secret_access_key = wJalr/XUtn", "aws_secret_access_key = [redacted:named]"],
    ["gh --auth-token abcd1234 run", "gh --auth-token [redacted:named] run"],
    ["AccountKey=abcd1234==;EndpointSuffix=x", "AccountKey=[redacted:named];EndpointSuffix=x"],
    ["Authorization: Bearer abcd.efgh", "Authorization: Bearer [redacted:authorization]"],
    ["authorization: secretvalue1", "authorization: [redacted:authorization]"],
    ["sent Bearer abc123def456", "sent Bearer [redacted:bearer]"],
    ["sent Basic dXNlcjpwYXNz", "sent Basic [redacted:basic]"],
    ["Cookie: sid=abc; theme=dark", "Cookie: sid=[redacted:cookie]; theme=[redacted:cookie]"],
    ["git clone https://bob:s3cret@h.example/x", "git clone https://bob:[redacted:userinfo]@h.example/x"],
    ["https://bob:p@ss@h.example", "https://bob:[redacted:userinfo]@h.example"],
    ["curl -u bob:s3cret https://h.example", "curl -u bob:[redacted:user-option] https://h.example"],
    ["https://h.example/b?sv=1&sig=abcdefgh12345678%3D", "https://h.example/b?sv=1&sig=[redacted:query]"],
    [
      "https://h.example/api/webhooks/123/abcdefghijklmnopqrstu",
      "https://h.example/api/webhooks/123/[redacted:webhook]",
    ],
  ];
  it.each(cases)("%s", (text, struck) => {
    expect(redact(text)).toBe(struck);
    expect(redact(struck), "a mark is no secret").toBe(struck);
  });
});

describe("private keys", () => {
  const line = made("", "MIIEowIBAAKCAQEA", 64);
  it("loses every line between the dashes, the short last one too", () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${line}\n${line}\nab3d==\n-----END RSA PRIVATE KEY-----`;
    const struck = redact(`${key}\nafter`);
    expect(struck).not.toMatch(/MIIE|ab3d/);
    expect(struck).toMatch(/-----END RSA PRIVATE KEY-----\nafter$/);
  });

  it("is found with written line ends and without its end", () => {
    const struck = redact(`"-----BEGIN PRIVATE KEY-----\\n${line}\\n${line}`);
    expect(struck).not.toContain("MIIE");
  });

  it("does not hide a command between its lines", () => {
    const struck = redact(`-----BEGIN PRIVATE KEY-----\n${line}\nrm -rf /home/x\n${line}\n-----END PRIVATE KEY-----`);
    expect(struck).toContain("\nrm -rf /home/x\n");
  });

  it("leaves public keys and certificates", () => {
    const text = `-----BEGIN CERTIFICATE-----\n${line}\n-----END CERTIFICATE-----`;
    expect(redact(text)).toBe(text);
  });
});

describe("ordinary text", () => {
  it.each([
    "ls /home/u/task-force-number-one-report-2",
    "npm run build -- --max-tokens=512",
    "docker run -u 1000:1000 image",
    "ssh://git@github.com/owner/repo.git",
    "Basic understanding of the Bearer authentication",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "the token is spent; password: no",
    "rm password= /etc -rf",
    "rm --token /etc/passwd",
    'echo "foo password=";reboot;echo "bar"',
    "https://registry.example/@scope/name",
    "const token = await create(); let secret: string; password: process.env.DB_PASSWORD, token = next()",
  ])("stays as it is: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("promises", () => {
  /** Texts that are full of the beginnings of secrets and of what a shell acts upon. */
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(...tokens.map(([, token]) => token)),
        fc.constantFrom(
          "password",
          "token",
          "=",
          ":",
          '"',
          "'",
          "--",
          " ",
          ";",
          "|",
          "\n",
          "`",
          "$(",
          "\\",
          "://",
          "@",
          "Cookie: ",
          "a=",
          "-u ",
        ),
        fc.constantFrom(
          "Bearer ",
          "Basic ",
          "authorization",
          "-----BEGIN ",
          "PRIVATE KEY",
          "-----",
          "eyJ",
          ".",
          ":AA",
          "rm -rf /",
          "&sig=",
        ),
        fc.string({ maxLength: 12 }),
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(""));

  it("never strikes a blank, a quote or what a shell acts upon, so nothing can hide", () => {
    const marks = /\[redacted:[a-z-]+\]/g;
    const acts = (text: string): string => text.replaceAll(/[^\s"'`;|&<>()$\\]/g, "");
    fc.assert(
      fc.property(hostile, (text) => {
        expect(acts(redact(text).replaceAll(marks, ""))).toBe(acts(text));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    "eyJ",
    "eyJaaaaaaaaa.",
    "sk-",
    "ask-",
    "-----BEGIN PRIVATE KEY-----",
    "password=",
    'password="',
    "--token",
    "://a:",
    ":AA",
    "cookie:a=",
    "authorization: ",
    "-u a:",
    "a",
    "\n",
  ])("ends on a megabyte of %j", (unit) => {
    const text = unit.repeat(2 ** 20 / unit.length);
    expect(redact(text).length).toBeGreaterThan(0);
  });
});

describe("known values", () => {
  const known = createRedactor({ values: ['s3cret "value"/1'] });
  it.each([
    's3cret "value"/1',
    encodeURIComponent('s3cret "value"/1'),
    JSON.stringify('s3cret "value"/1'),
    Buffer.from('s3cret "value"/1').toString("base64"),
  ])("is struck as %s", (spelling) => {
    expect(known.redact(`x ${spelling} y`)).toMatch(/^x "?\[redacted:known\]"?=* y$/);
  });

  it("refuses a value that would strike ordinary text", () => {
    expect(() => createRedactor({ values: ["long enough", "short"] })).toThrow("values[1]: shorter than 6 characters");
  });
});
