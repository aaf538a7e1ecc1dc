/**
 * A cookie of the gateway's own pages. Under TLS it has the prefix `__Host-` (RFC 6265bis, 4.1.3), which browsers take from this
 * host alone: no page of a sibling host can plant one. That needs the whole host as its path; without TLS the path is narrow.
 */
export class OwnCookie {
  readonly #name: string;
  readonly #sameSite: "Strict" | "Lax";
  /** Path attribute of the cookie without TLS. */
  readonly #path: string;
  readonly #secureName: string;

  constructor(name: string, sameSite: "Strict" | "Lax", path: string) {
    this.#name = name;
    this.#sameSite = sameSite;
    this.#path = path;
    this.#secureName = `__Host-${name}`;
  }

  /**
   * All values in a request's headers, given as Node's `rawHeaders`. Under TLS the one without the prefix is not looked at; where
   * TLS is not known of, the one with the prefix goes before it, since only TLS can have set it.
   */
  read(rawHeaders: readonly string[], isSecure: boolean): readonly string[] {
    const secure = readCookie(rawHeaders, this.#secureName);
    return isSecure || secure.length > 0 ? secure : readCookie(rawHeaders, this.#name);
  }

  /** The `Set-Cookie` of a value. @param lifeSeconds absent: it goes with the browser */
  set(value: string, isSecure: boolean, lifeSeconds?: number): string {
    const life = lifeSeconds === undefined ? "" : `; Max-Age=${lifeSeconds}`;
    const start = `${isSecure ? this.#secureName : this.#name}=${value}; HttpOnly; SameSite=${this.#sameSite}`;
    return `${start}; Path=${isSecure ? "/" : this.#path}${life}${isSecure ? "; Secure" : ""}`;
  }

  /** The `Set-Cookie` that takes it away. */
  end(isSecure: boolean): string {
    return this.set("", isSecure, 0);
  }
}

/** All values of a cookie in a request's headers, given as Node's `rawHeaders`. Browsers send several of one name for several paths. */
function readCookie(rawHeaders: readonly string[], cookieName: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== "cookie") continue;
    for (const pair of (rawHeaders[index + 1] ?? "").split(";")) {
      const [name = "", value = ""] = pair.split("=", 2);
      if (name.trim() === cookieName) values.push(value.trim());
    }
  }
  return values;
}
