/** The text, well-formed, cut with `…` where it is longer than `max` UTF-16 units; a pair of surrogates is never split. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  const cut = text.slice(0, max - 1);
  const last = cut.charCodeAt(cut.length - 1);
  return `${(last >= 0xd800 && last < 0xdc00 ? cut.slice(0, -1) : cut).toWellFormed()}…`;
}
