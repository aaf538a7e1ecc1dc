import { isGatewayError } from "@gatehouse/errors";
import { errors } from "undici";
import { ProviderError } from "../../../domain/provider.ts";

/** No reply has begun. The message names the system's error code, never an address or a credential. */
export function unreachable(provider: string, cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  if (cause instanceof errors.ConnectTimeoutError) {
    return new ProviderError("timeout", `${provider} could not be connected to in time`, { cause });
  }
  if (isNotHttp(cause)) return new ProviderError("malformed", `${provider} did not answer in HTTP`, { cause });
  if (isGatewayError(cause) && cause.code === "ssrf_blocked") {
    return new ProviderError("unreachable", `${provider} has an address that is never allowed`, { cause });
  }
  return new ProviderError("unreachable", `${provider} is unreachable (${codeOf(cause)})`, { cause });
}

/** The reply had begun and broke off. */
export function brokenReply(provider: string, cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  if (isNotHttp(cause)) return new ProviderError("malformed", `${provider} sent a reply that is not HTTP`, { cause });
  return new ProviderError("cut", `${provider} broke its reply off (${codeOf(cause)})`, { cause });
}

function isNotHttp(cause: unknown): boolean {
  return cause instanceof errors.HTTPParserError || cause instanceof errors.HeadersOverflowError;
}

function codeOf(cause: unknown): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (typeof first === "object" && first !== null && "code" in first && typeof first.code === "string") {
    return first.code;
  }
  return "unknown error";
}
