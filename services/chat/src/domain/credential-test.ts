import type { ProviderError } from "@gatehouse/providers";

/** Result of a try of a credential. */
export interface CredentialVerdict {
  /** Whether calls with it are answered. */
  readonly ok: boolean;
  /** The provider's HTTP status; null where no reply came. */
  readonly status: number | null;
  /** For administrators; holds no key. */
  readonly message: string;
}

/** The shortest request that every provider answers. */
export const testMessages = [{ role: "user", content: "Hi" }] as const;
/** Tokens of the answer at most. Some providers refuse fewer. */
export const testTokensMax = 16;

export const answered: CredentialVerdict = { ok: true, status: 200, message: "The provider answers with this key." };

const meanings: Readonly<Record<number, string>> = {
  401: "The provider refuses the key",
  403: "The provider refuses the key, or this model is not for it",
  404: "The provider does not know the model or the path; the key may be good",
  429: "The provider knows the key, and its limit or its credit is used up",
};

/** Meaning of a failed try for the credential. */
export function verdictOf(failure: ProviderError): CredentialVerdict {
  const { status = null, message } = failure;
  const meaning = status === null ? undefined : meanings[status];
  return { ok: false, status, message: meaning === undefined ? message : `${meaning}: ${message}` };
}
