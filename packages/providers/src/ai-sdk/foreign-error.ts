import {
  AISDKError,
  APICallError,
  InvalidArgumentError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { fromErrorEvent } from "../exchange/error-reply.ts";
import { asRecord } from "../exchange/json.ts";
import { ProviderError } from "../provider.ts";

/**
 * Converts a package's error that did not come from the wire. Of errors that quote requests or replies only the name is kept, for
 * logs; any
 * other error is a defect of the package or its installation, and is kept as the cause.
 * @param secrets removed from all messages
 */
export function fromThrown(err: unknown, provider: string, secrets: readonly string[]): ProviderError {
  if (err instanceof ProviderError) return err;
  if (UnsupportedFunctionalityError.isInstance(err)) return badRequest(provider, unsupported(err.functionality));
  if (InvalidArgumentError.isInstance(err))
    return badRequest(provider, "a parameter has a value that it does not support");
  // Anthropic's package turns an error in a stream's first event into a call error with a made-up status.
  if (APICallError.isInstance(err) && isErrorStatus(err.statusCode)) {
    return fromErrorEvent(provider, { statusCode: err.statusCode, message: err.message }, secrets);
  }
  const cause = quotesData(err) ? undefined : err;
  const problem = `${provider} sent a reply that cannot be read`;
  return new ProviderError("malformed", problem, { cause, loggedMessage: `${problem} (${nameOf(err)})` });
}

/** Packages name a feature, or state what is supported instead. */
function unsupported(functionality: string): string {
  return functionality.includes("supported") ? functionality : `${functionality} is not supported`;
}

/** The packages' errors hold whole requests and replies; a syntax error quotes the parsed text. */
function quotesData(err: unknown): boolean {
  return AISDKError.isInstance(err) || err instanceof SyntaxError;
}

/** Converts a stream's error part: the provider's error, or an event that the package could not read. */
export function fromStreamError(error: unknown, provider: string, secrets: readonly string[]): ProviderError {
  // Some packages do not know errors inside streams: an error event fails their schema check.
  const event = TypeValidationError.isInstance(error) ? asRecord(error.value) : undefined;
  if (event?.error !== undefined) return fromErrorEvent(provider, event.error, secrets);
  if (event?.object === "error") return fromErrorEvent(provider, event, secrets);
  if (error instanceof Error) return fromThrown(error, provider, secrets);
  return fromErrorEvent(provider, asRecord(error) ?? String(error), secrets);
}

function isErrorStatus(status: number | undefined): status is number {
  return status !== undefined && status >= 400;
}

function nameOf(err: unknown): string {
  return err instanceof Error ? err.name : typeof err;
}

/** A request that the provider's API cannot express: the caller's fault, so status 400. */
export function badRequest(provider: string, problem: string): ProviderError {
  const message = `${provider} does not accept this request: ${problem}`;
  return new ProviderError("status", message, { status: 400, isOfRequest: true }).asFree();
}
