import { isGatewayError } from "@gatehouse/errors";
import { MalformedReply } from "@gatehouse/http-client";
import { errors } from "undici";
import { ProviderError } from "../provider.ts";

/** Messages for callers by the system's and the transport's error codes; logs have the codes. They name no address and no credential. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  CONNECTION_LOST: "the connection was closed",
  ENOTFOUND: "its host name could not be resolved",
  EAI_AGAIN: "its host name could not be resolved",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ETIMEDOUT: "the connection timed out",
  CERT_HAS_EXPIRED: "its certificate is not trusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is not trusted",
};

function inWords(code: string): string {
  return Object.hasOwn(words, code) ? (words[code] ?? "") : "the connection failed";
}

/** Error for a call whose reply never began. */
export function unreachable(provider: string, cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  if (cause instanceof errors.ConnectTimeoutError) {
    return new ProviderError("timeout", `${provider} did not accept a connection in time`, {
      cause,
      isOfConnection: true,
    });
  }
  if (isNotHttp(cause)) return new ProviderError("malformed", `${provider} did not answer with HTTP`, { cause });
  if (isGatewayError(cause) && cause.code === "ssrf_blocked") {
    return new ProviderError("unreachable", `${provider} has an address that is never allowed`, { cause });
  }
  const code = faultCodeOf(cause);
  return new ProviderError("unreachable", `${provider} is unreachable: ${inWords(code)}`, {
    cause,
    loggedMessage: `${provider} is unreachable (${code})`,
  });
}

/** Error for a reply that broke off. */
export function brokenReply(provider: string, cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  if (isNotHttp(cause)) return new ProviderError("malformed", `${provider} sent a reply that is not HTTP`, { cause });
  const code = faultCodeOf(cause);
  return new ProviderError("cut", `${provider} ended its reply early: ${inWords(code)}`, {
    cause,
    loggedMessage: `${provider} ended its reply early (${code})`,
  });
}

function isNotHttp(cause: unknown): boolean {
  return cause instanceof MalformedReply;
}

function faultCodeOf(cause: unknown): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (typeof first === "object" && first !== null && "code" in first && typeof first.code === "string") {
    return first.code;
  }
  return "unknown error";
}
