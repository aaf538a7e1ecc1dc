/** Where a secret is kept outside of the gateway: in the environment, or in a file such as a mounted secret. */
export interface SecretReference {
  readonly kind: "env" | "file";
  /** The variable's name, or the file's absolute path. */
  readonly name: string;
}

/** Characters of a reference. */
const referenceLengthMax = 1_024;

const referenceForm = /^(env|file):(.*)$/s;
const nameForms = {
  env: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  // Absolute, with nothing that leads elsewhere: no empty, "." or ".." segment.
  file: /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+$/,
} as const;

/** Whether a text names a place of a secret, well-formed or not; a provider's key never begins like this. */
export function isReferenceText(text: string): boolean {
  return referenceForm.test(text);
}

/** The reference that a stored secret is; null for one that is sealed. */
export function referenceIn(stored: string): string | null {
  return isReferenceText(stored) ? stored : null;
}

/** Reads `env:NAME` or `file:/path`. Undefined where the text is no well-formed reference. */
export function parseReference(text: string): SecretReference | undefined {
  if (text.length > referenceLengthMax) return undefined;
  const [, kind, name = ""] = referenceForm.exec(text) ?? [];
  if (kind !== "env" && kind !== "file") return undefined;
  return nameForms[kind].test(name) ? { kind, name } : undefined;
}
