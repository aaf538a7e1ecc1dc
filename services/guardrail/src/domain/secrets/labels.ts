const passwordKinds: ReadonlySet<string> = new Set(["password", "url_password", "basic_credentials"]);

/** What callers read of a credential. */
export function secretLabelOf(kind: string): string {
  return passwordKinds.has(kind) ? "Password" : "API key";
}
