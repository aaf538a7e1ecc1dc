/**
 * A cookie of the gateway's own pages. Under TLS its name has the prefix `__Host-` (RFC 6265bis, 4.1.3), which no sibling host
 * can set and which requires the path `/`; without TLS the path is narrow.
 */
export class OwnCookie {
  readonly #name: string;
  readonly #sameSite: "Strict" | "Lax";
  readonly #path: string;
  readonly #secureName: string;

  constructor(name: string, sameSite: "Strict" | "Lax", path: string) {
    this.#name = name;
    this.#sameSite = sameSite;
    this.#path = path;
    this.#secureName = `__Host-${name}`;
  }

  /**
   * All values in Node's `rawHeaders`. Under TLS only the prefixed name counts; where TLS is unknown, prefixed values come first,
   * since only TLS can have set them.
   */
  read(rawHeaders: readonly string[], isSecure: boolean): readonly string[] {
    const secure = readCookie(rawHeaders, this.#secureName);
    return isSecure || secure.length > 0 ? secure : readCookie(rawHeaders, this.#name);
  }

  /** `Set-Cookie` for a value. @param lifeSeconds absent: until the browser closes */
  set(value: string, isSecure: boolean, lifeSeconds?: number): string {
    const life = lifeSeconds === undefined ? "" : `; Max-Age=${lifeSeconds}`;
    const start = `${isSecure ? this.#secureName : this.#name}=${value}; HttpOnly; SameSite=${this.#sameSite}`;
    return `${start}; Path=${isSecure ? "/" : this.#path}${life}${isSecure ? "; Secure" : ""}`;
  }

  end(isSecure: boolean): string {
    return this.set("", isSecure, 0);
  }
}

/** All values of a cookie in Node's `rawHeaders`; browsers send one per path. */
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
