import { alphabet, alphanumeric, base64url, runEnd } from "./alphabet.ts";
import { nothing, strike, type Shape } from "./shape.ts";

/** What may stand before the host of a URL: no slash, no question mark, no blank, no quote, nothing a shell acts upon. */
const authority = alphabet(`${alphanumeric}!%*+,-.:=@^_~`, true);
const query = alphabet(`${alphanumeric}%+-._~/`);

/** A user name without a password is struck from this length on: then it is a token. */
const tokenLength = 20;

/** The password, or the token in place of a user name, in the userinfo of a URL (RFC 3986 section 3.2.1). The last `@` ends it, as browsers read it. */
const userinfoShape: Shape = {
  id: "userinfo",
  literals: ["://"],
  anyCase: false,
  look(text, _at, after) {
    const end = runEnd(text, after, authority);
    const userinfo = text.slice(after, end);
    const at = userinfo.lastIndexOf("@");
    if (at < 0) return nothing(end);
    const colon = userinfo.indexOf(":");
    if (colon >= 0 && colon < at) return at - colon > 1 ? strike(after + colon + 1, after + at) : nothing(end);
    return at >= tokenLength ? strike(after, after + at) : nothing(end);
  },
};

/** Signatures and keys in the query of a URL: signed storage links and the like. */
const queryShape: Shape = {
  id: "query",
  literals: ["?sig=", "&sig=", "?key=", "&key=", "signature=", "?code=", "&code="],
  anyCase: true,
  look(text, _at, after) {
    const end = runEnd(text, after, query);
    return end - after < 16 ? nothing(end) : strike(after, end);
  },
};

/** The token in the path of a Discord webhook. */
const webhookShape: Shape = {
  id: "webhook",
  literals: ["/api/webhooks/"],
  anyCase: false,
  look(text, _at, after) {
    const slash = runEnd(text, after, base64url);
    if (text[slash] !== "/") return nothing(slash);
    const end = runEnd(text, slash + 1, base64url);
    return end - slash < 20 ? nothing(end) : strike(slash + 1, end);
  },
};

/** Secrets in URLs. */
export const urlShapes: readonly Shape[] = [userinfoShape, queryShape, webhookShape];
