/** Something that was left out of an archive, or of what was unpacked. */
export interface LeftOut {
  /** Path below the folder; bytes that are not UTF-8 as in path-bytes.ts. */
  readonly name: string;
  readonly reason: string;
}

/** What was left out: the first ones by name, all by number. */
export interface LeftOutList {
  readonly first: readonly LeftOut[];
  readonly count: number;
}

const maxNamed = 100;

/** Collects what is left out. */
export class LeftOutLog implements LeftOutList {
  readonly first: LeftOut[] = [];
  count = 0;

  add(name: string, reason: string): void {
    this.count += 1;
    if (this.first.length < maxNamed) this.first.push({ name, reason });
  }
}
