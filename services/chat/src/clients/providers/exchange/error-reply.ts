import { ProviderError } from "../../../domain/provider.ts";
import { asRecord } from "./json.ts";
import { redactMessage } from "./redaction.ts";

export interface ErrorReply {
  readonly provider: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  /** The reply's body as text; empty where it was not read. */
  readonly body: string;
  /** Never shown, whatever the provider says. */
  readonly secrets: readonly string[];
}

/** E.g. `openai answered 503: The engine is overloaded`. */
export function fromErrorReply({ provider, status, retryAfterSeconds, body, secrets }: ErrorReply): ProviderError {
  const said = redactMessage(messageOf(parseJson(body)) ?? "", secrets);
  return new ProviderError("status", `${provider} answered ${status}${said === "" ? "" : `: ${said}`}`, {
    status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** What OpenAI and those like it call their errors, with the status each would have had as a reply of its own. */
const statusByErrorType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  content_policy_violation: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  tokens: 429,
  requests: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  internal_error: 500,
  internal_server_error: 500,
  service_unavailable: 503,
  overloaded_error: 529,
};

/**
 * An error that arrived under a status of success: in a stream, or as a whole reply. `status` where the error tells one,
 * `malformed` where it does not.
 * @param error the `error` member, or the text of the event
 */
export function fromErrorEvent(provider: string, error: unknown, secrets: readonly string[]): ProviderError {
  const status = statusOf(error);
  const said = redactMessage(messageOf({ error }) ?? "", secrets);
  const saying = said === "" ? "" : `: ${said}`;
  return status === undefined
    ? new ProviderError("malformed", `${provider} sent an error in its reply${saying}`)
    : new ProviderError("status", `${provider} sent error ${status} in its reply${saying}`, { status });
}

function statusOf(error: unknown): number | undefined {
  const { status, statusCode, code, type } = asRecord(error) ?? {};
  for (const value of [statusCode, status, code]) {
    const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && number >= 400 && number < 600) return number;
  }
  for (const name of [code, type]) {
    if (typeof name === "string" && Object.hasOwn(statusByErrorType, name)) return statusByErrorType[name];
  }
  return undefined;
}

/** The message of `{error: {message}}`, `{error: "…"}`, `{message}` or `{detail}`, the forms in use. */
export function messageOf(reply: unknown): string | undefined {
  const first = asRecord(Array.isArray(reply) ? reply[0] : reply);
  const candidates = [asRecord(first?.error)?.message, first?.error, first?.message, first?.Message, first?.detail];
  return candidates.find((candidate) => typeof candidate === "string");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
