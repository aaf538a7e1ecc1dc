import { fromErrorEvent } from "../exchange/error-reply.ts";
import { asRecord } from "../exchange/json.ts";
import { ProviderError } from "../provider.ts";

/**
 * The error in a reply or a chunk that came under a status of success: in place of an answer, or as the end of one of its choices.
 * Undefined without one.
 * @param secrets removed from all messages
 */
export function findReplyError(provider: string, json: unknown, secrets: readonly string[]): ProviderError | undefined {
  const { error, choices } = asRecord(json) ?? {};
  if (isError(error)) return fromErrorEvent(provider, error, secrets);
  const listed: readonly unknown[] = Array.isArray(choices) ? choices : [];
  for (const value of listed) {
    const { error: ofChoice, finish_reason: finish } = asRecord(value) ?? {};
    // The error of a choice ends an answer that had begun.
    if (isError(ofChoice)) return fromErrorEvent(provider, ofChoice, secrets).asBilled();
    if (finish === "error") {
      return new ProviderError("malformed", `${provider} ended its answer with the finish reason 'error'`);
    }
  }
  return undefined;
}

/** Whether the member is an error. Some servers send null or an empty text where there is none. */
export function isError(error: unknown): boolean {
  return asRecord(error) !== undefined || (typeof error === "string" && error !== "");
}
