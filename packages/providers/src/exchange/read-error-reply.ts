import { ProviderError } from "../provider.ts";
import { fromErrorReply } from "./error-reply.ts";
import type { Exchange, ReplyHead } from "./exchange.ts";
import { toReplyText } from "./json.ts";

/** Bytes of an error reply that are read for its message. */
export const errorReplyBytesMax = 64 * 1024;

/** Facts besides the reply that {@link readErrorReply} needs for its error; `provider` is the name in the message. */
export interface ErrorReplyContext {
  readonly provider: string;
  /** Removed from all messages. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. */
  readonly nowMs: number;
}

/** Whether a reply has a status from 200 to 299; adapters read all others as errors, redirects included. */
export function isSuccess({ status }: ReplyHead): boolean {
  return status >= 200 && status < 300;
}

/** The error for a reply with an error status, even when its body does not arrive or is too long. */
export async function readErrorReply(
  exchange: Exchange,
  { status, headers }: ReplyHead,
  { provider, secrets, nowMs }: ErrorReplyContext,
): Promise<ProviderError> {
  let body = "";
  try {
    body = toReplyText(await exchange.readAll(errorReplyBytesMax));
  } catch (err) {
    if (err instanceof ProviderError && err.failure === "aborted") return err;
  }
  return fromErrorReply({
    provider,
    status,
    retryAfterSeconds: parseRetryAfter(headers["retry-after"], nowMs),
    body,
    secrets,
  });
}

/** Longest wait that is accepted, seconds. */
const retryAfterSecondsMax = 3_600;

/** `Retry-After` as whole seconds, 1 to 3,600, from seconds or an HTTP date (RFC 9110, section 10.2.3). */
function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (text === "") return undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1_000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(retryAfterSecondsMax, Math.max(1, Math.ceil(seconds)));
}
