const passwordKinds: ReadonlySet<string> = new Set(["password", "url_password", "basic_credentials"]);

/** Label of a credential for callers. */
export function secretLabelOf(kind: string): string {
  return passwordKinds.has(kind) ? "Password" : "API key";
}
