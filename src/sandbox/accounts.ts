import type { UserId } from "./mount-plan.ts";

/** The texts of `/etc/passwd` and `/etc/group` (passwd(5), group(5)). */
export interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

/** The name that commands have, whoever the workspace's owner is: the same as in their environment. */
export const accountName = "sallyport";

/** What a root without such files has. */
export const plainAccounts: Accounts = {
  passwd: "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
  group: "root:x:0:\nnogroup:x:65534:\n",
};

/**
 * Adds the user that commands run as, so that he has a name and a home for programs that ask for them. First, because the first line that fits counts: a
 * line of the image may give his number another home.
 */
export function withAccount(image: Accounts, { uid, gid }: UserId, home: string): Accounts {
  // A colon ends a field.
  const place = /[:\n]/.test(home) ? "/" : home;
  return {
    passwd: `${accountName}:x:${uid}:${gid}:Sallyport:${place}:/bin/sh\n${image.passwd}`,
    group: `${accountName}:x:${gid}:\n${image.group}`,
  };
}
