import { limitAnswer } from "./output-limit.ts";
import { type AttemptBounds, type ProviderAdapter, type ProviderAddress, ProviderError } from "./provider.ts";

/** Result of {@link tryCredential}, as shown to administrators. */
interface CredentialVerdict {
  /** Whether the provider answers calls with it. */
  readonly ok: boolean;
  /** The provider's HTTP status; null where no reply came. */
  readonly status: number | null;
  /** Message for administrators; contains no key. */
  readonly message: string;
}

const testMessages = [{ role: "user", content: "Hi" }] as const;
/** Longest answer, tokens. Some providers refuse a smaller limit. */
const testTokensMax = 16;

const answered: CredentialVerdict = { ok: true, status: 200, message: "The provider answers with this key." };

const meanings: Readonly<Record<number, string>> = {
  401: "The provider refuses the key",
  403: "The provider refuses the key, or this model is not for it",
  404: "The provider does not know the model or the path; the key may be good",
  429: "The provider knows the key, and its limit or its credit is used up",
};

/** Longest wait for the tested provider, milliseconds. */
const attemptMs = 15_000;
const bounds: AttemptBounds = {
  connectMs: 5_000,
  headersMs: attemptMs,
  firstTokenMs: attemptMs,
  idleMs: attemptMs,
  totalMs: attemptMs,
};

/** Makes one short call with the key of an address. @throws ProviderError `aborted` by the signal. */
export async function tryCredential(
  adapter: Pick<ProviderAdapter, "complete">,
  address: ProviderAddress,
  signal: AbortSignal,
): Promise<CredentialVerdict> {
  const { kind, model } = address;
  const limit = limitAnswer({}, { kind, endpoint: { parameters: null }, tokensMax: testTokensMax });
  const attempt = { bounds, signal, traceparent: undefined, answerTokensMax: testTokensMax };
  try {
    await adapter.complete(address, { ...limit, model, messages: testMessages }, attempt);
    return answered;
  } catch (err) {
    if (!(err instanceof ProviderError) || err.failure === "aborted") throw err;
    return verdictOf(err);
  }
}

/** Verdict on the credential, from a failed call. */
export function verdictOf(failure: ProviderError): CredentialVerdict {
  const { status = null, message } = failure;
  const meaning = status === null ? undefined : meanings[status];
  return { ok: false, status, message: meaning === undefined ? message : `${meaning}: ${message}` };
}
