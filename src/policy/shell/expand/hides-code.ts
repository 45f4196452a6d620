/** What bash runs in a subscript where it evaluates a name or a number, quoted or not. */
const expansion = /\$[({[]|`/;

/** True where a value would be run if arithmetic ever evaluated it. */
export function hidesCode(value: string): boolean {
  const open = value.indexOf("[");
  return open >= 0 && expansion.test(value.slice(open));
}
