/** Place of a secret outside of the gateway: in the environment, or in a file such as a mounted secret. */
export interface SecretReference {
  readonly kind: "env" | "file";
  /** Name of the variable, or absolute path of the file. */
  readonly name: string;
}

const referenceLengthMax = 1_024;

const referenceForm = /^(env|file):(.*)$/s;
const nameForms = {
  env: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  // Absolute and normalized: no empty, "." or ".." segment.
  file: /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+$/,
} as const;

/** Whether a text looks like a reference, well-formed or not; a provider's key never begins like this. */
export function isReferenceText(text: string): boolean {
  return referenceForm.test(text);
}

/** The reference in a stored secret; null for a sealed one. */
export function referenceIn(stored: string): string | null {
  return isReferenceText(stored) ? stored : null;
}

/** Parses `env:NAME` or `file:/path`. Undefined for a malformed reference. */
export function parseReference(text: string): SecretReference | undefined {
  if (text.length > referenceLengthMax) return undefined;
  const [, kind, name = ""] = referenceForm.exec(text) ?? [];
  if (kind !== "env" && kind !== "file") return undefined;
  return nameForms[kind].test(name) ? { kind, name } : undefined;
}
