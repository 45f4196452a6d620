import { alphabet, alphanumeric, base64url, digits, runEnd, upper, wordLike } from "./alphabet.ts";
import { nothing, strike, type Shape } from "./shape.ts";
import { tokenShape, type TokenForm } from "./token-shape.ts";

const letters = alphabet(alphanumeric);
const capitals = alphabet(upper + digits);
const hex = alphabet(`${digits}abcdef`);
const dotted = alphabet(`${alphanumeric}_-.`);

/** Published forms of tokens; the lengths are the shortest that the vendors hand out, or a little less. */
const forms: readonly TokenForm[] = [
  { id: "aws", prefixes: ["AKIA", "ASIA", "ABIA", "ACCA"], alphabet: capitals, min: 16 },
  { id: "google", prefixes: ["AIza"], alphabet: base64url, min: 35 },
  { id: "google", prefixes: ["GOCSPX-"], alphabet: base64url, min: 20 },
  { id: "google", prefixes: ["ya29."], alphabet: dotted, min: 20 },
  { id: "github", prefixes: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], alphabet: letters, min: 30 },
  { id: "github", prefixes: ["github_pat_"], alphabet: wordLike, min: 22 },
  {
    id: "gitlab",
    prefixes: ["glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-", "glft-", "glagent-"],
    alphabet: dotted,
    min: 20,
  },
  { id: "npm", prefixes: ["npm_"], alphabet: letters, min: 36 },
  { id: "pypi", prefixes: ["pypi-AgE"], alphabet: base64url, min: 20 },
  {
    id: "slack",
    prefixes: ["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
    alphabet: dotted,
    min: 10,
  },
  { id: "slack", prefixes: ["hooks.slack.com/services/"], alphabet: alphabet(`${alphanumeric}/`), min: 20 },
  { id: "model-provider", prefixes: ["sk-"], alphabet: base64url, min: 20, common: true },
  { id: "hugging-face", prefixes: ["hf_"], alphabet: letters, min: 30 },
  { id: "stripe", prefixes: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], alphabet: letters, min: 16 },
  { id: "sendgrid", prefixes: ["SG."], alphabet: dotted, min: 40 },
  { id: "twilio", prefixes: ["AC", "SK"], alphabet: hex, min: 32, max: 32 },
  { id: "docker", prefixes: ["dckr_pat_", "dckr_oat_"], alphabet: base64url, min: 20 },
  { id: "digitalocean", prefixes: ["dop_v1_", "doo_v1_", "dor_v1_"], alphabet: hex, min: 40 },
  { id: "shopify", prefixes: ["shpat_", "shpca_", "shppa_", "shpss_"], alphabet: letters, min: 32 },
  { id: "age", prefixes: ["AGE-SECRET-KEY-1"], alphabet: capitals, min: 40 },
  { id: "sallyport", prefixes: ["sallyport_"], alphabet: base64url, min: 40 },
];

/** All tokens that have a beginning of their own. */
export const tokenShapes: readonly Shape[] = [...forms.map(tokenShape), telegramShape(), jwtShape()];

/** A Telegram bot token: the bot's number, a colon, and 35 characters that begin with `AA`. */
function telegramShape(): Shape {
  const number = alphabet(digits);
  return {
    id: "telegram",
    literals: [":AA"],
    anyCase: false,
    look(text, at, after) {
      let from = at;
      while (from > at - 12 && from > 0 && number.has(text.charCodeAt(from - 1))) from -= 1;
      const end = runEnd(text, after, base64url);
      return at - from >= 6 && end - after >= 30 ? strike(from, end) : nothing(end);
    },
  };
}

/** A JSON Web Token (RFC 7519) in compact form: three base64url parts, the first of which begins a JSON object. */
function jwtShape(): Shape {
  return {
    id: "jwt",
    literals: ["eyJ"],
    anyCase: false,
    look(text, at, after) {
      const head = runEnd(text, after, base64url);
      if (head - after < 8 || text[head] !== ".") return nothing(head);
      const claims = runEnd(text, head + 1, base64url);
      // An encrypted token (RFC 7516) may have an empty second part.
      const end = text[claims] === "." ? runEnd(text, claims + 1, dotted) : claims;
      return end - head < 12 ? nothing(head) : strike(at, end);
    },
  };
}
