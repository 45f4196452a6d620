/** The cookie of a visit. */
export interface VisitCookie {
  /** Its value in a `cookie` header; undefined where it is not there, or more than once: then somebody else on this host has set one, too. */
  read(header: string | undefined): string | undefined;
  /** The `set-cookie` header that sets it, for so many seconds; 0 removes it. */
  set(value: string, seconds: number): string;
}

/**
 * The cookie of this listener. Over TLS its name begins with `__Host-`, by which browsers hold it to this host, the whole path and TLS (RFC 6265bis). Without TLS
 * cookies know no ports, so that the port is part of the name: two Sallyports on one machine must not log each other out.
 */
export function visitCookie(tls: boolean, port: number): VisitCookie {
  const name = tls ? "__Host-sallyport" : `sallyport-${port}`;
  return {
    read(header = "") {
      const values = header
        .split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      return values.length === 1 ? values[0] : undefined;
    },
    set: (value, seconds) =>
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${tls ? "; Secure" : ""}`,
  };
}
