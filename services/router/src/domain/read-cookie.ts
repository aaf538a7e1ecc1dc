/** All values of a cookie in a request's headers, given as Node's `rawHeaders`. Browsers send several of one name for several paths. */
export function readCookie(rawHeaders: readonly string[], cookieName: string): readonly string[] {
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
