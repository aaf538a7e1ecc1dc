import { ProviderError } from "../provider.ts";
import { asRecord, parseReplyJson } from "./json.ts";
import { redactMessage } from "./redaction.ts";
import { unifiedCodeOf } from "./unified-code.ts";

interface ErrorReply {
  readonly provider: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly body: string;
  /** Removed from all messages. */
  readonly secrets: readonly string[];
}

/** Converts an error reply; its message reads e.g. `openai answered 503: The engine is overloaded`. */
export function fromErrorReply({ provider, status, retryAfterSeconds, body, secrets }: ErrorReply): ProviderError {
  const reply = parseReplyJson(body);
  const said = redactMessage(messageOf(reply) ?? "", secrets);
  const summary = `${provider} answered ${status}`;
  const name = nameOf(errorOf(reply), secrets);
  const code = unifiedCodeOf(status, name, messageOf(reply) ?? "");
  const err = new ProviderError("status", `${summary}${saying(said)}`, {
    status,
    loggedMessage: `${summary}${naming(name)}`,
    ...(code === undefined ? {} : { code }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  return unclearStatuses.has(status) ? err : err.asFree();
}

/**
 * Statuses of a provider or a proxy that stopped waiting for an answer: the model may have worked, so the attempt may be billed.
 * With any other error status the provider itself states that there is no answer, and does not bill it.
 */
const unclearStatuses: ReadonlySet<number> = new Set([408, 499, 502, 504, 520, 524]);

/** Error names of OpenAI and compatible providers, with the status that each would have as a reply. */
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
 * An error that arrived under a status of success, in a stream or as a whole reply: `status` where the error implies one, else
 * `malformed`.
 * @param error the `error` member, or the text of the event
 */
export function fromErrorEvent(provider: string, error: unknown, secrets: readonly string[]): ProviderError {
  const status = statusOf(error);
  const said = redactMessage(messageOf({ error }) ?? "", secrets);
  const summary = `${provider} sent ${status === undefined ? "an error" : `error ${status}`} in its reply`;
  const name = nameOf(asRecord(error), secrets);
  const code = unifiedCodeOf(status, name, messageOf({ error }) ?? "");
  const coded = { loggedMessage: `${summary}${naming(name)}`, ...(code === undefined ? {} : { code }) };
  if (status === undefined) return new ProviderError("malformed", `${summary}${saying(said)}`, coded);
  const err = new ProviderError("status", `${summary}${saying(said)}`, { ...coded, status });
  return isRefusal(status) ? err.asFree() : err;
}

/** Statuses that a provider sends before any work is done, also when they come after the head of a reply. */
function isRefusal(status: number): boolean {
  return (status < 500 && !unclearStatuses.has(status)) || status === 503 || status === 529;
}

function saying(words: string): string {
  return words === "" ? "" : `: ${words}`;
}

/** Form of an error's name, such as `context_length_exceeded`: too short and plain to hold words of a prompt. */
const errorName = /^[A-Za-z][A-Za-z0-9_.-]{0,47}$/;

function naming(name: string | undefined): string {
  return name === undefined ? "" : ` (${name})`;
}

/** The provider's name for its error, where it has one; a key that looks like a name is left out. */
function nameOf(error: Readonly<Record<string, unknown>> | undefined, secrets: readonly string[]): string | undefined {
  return [error?.["code"], error?.["type"], error?.["status"]].find(
    (value): value is string =>
      typeof value === "string" && errorName.test(value) && redactMessage(value, secrets) === value,
  );
}

function errorOf(reply: unknown): Readonly<Record<string, unknown>> | undefined {
  const first = asRecord(Array.isArray(reply) ? reply[0] : reply);
  return asRecord(first?.error) ?? first;
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

/** The message in any common form: `{error: {message}}`, `{error: "…"}`, `{message}` or `{detail}`. */
function messageOf(reply: unknown): string | undefined {
  const first = asRecord(Array.isArray(reply) ? reply[0] : reply);
  const candidates = [asRecord(first?.error)?.message, first?.error, first?.message, first?.Message, first?.detail];
  return candidates.find((candidate) => typeof candidate === "string");
}
