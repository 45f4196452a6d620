/** Control characters of C0 and C1 except tab and newline. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the point.
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
/** Direction marks, zero-width characters and the byte order mark: what is shown is not what runs. */
const invisible =
  /\u00ad|\u034f|\u061c|[\u115f\u1160]|\u17b4|\u17b5|[\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f]|[\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/u;
/** Blanks that the shell takes for letters, and line breaks that it does not see. */
const blank = /[\u00a0\u0085\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Why a text may not be what it seems; empty where it is plain. */
export function checkText(text: string): string[] {
  const found: string[] = [];
  if (control.test(text)) found.push("it holds a control character");
  if (invisible.test(text)) found.push("it holds an invisible character");
  if (blank.test(text)) found.push("it holds a blank that the shell does not take for one");
  if (!text.isWellFormed()) found.push("it holds half of a surrogate pair");
  return found;
}
