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
 * Converts an error of a package that did not come from the wire. Of errors that quote requests or replies only the name is kept;
 * another one is a defect, of the package or of its installation, and stays as the cause.
 * @param secrets never shown, whatever the provider says
 */
export function fromThrown(err: unknown, provider: string, secrets: readonly string[]): ProviderError {
  if (err instanceof ProviderError) return err;
  if (UnsupportedFunctionalityError.isInstance(err)) return badRequest(provider, `no ${err.functionality}`);
  if (InvalidArgumentError.isInstance(err))
    return badRequest(provider, "a parameter has a value that it does not take");
  // Anthropic's package turns an error that is a stream's first event into a call error with a made-up status.
  if (APICallError.isInstance(err) && isErrorStatus(err.statusCode)) {
    return fromErrorEvent(provider, { statusCode: err.statusCode, message: err.message }, secrets);
  }
  const cause = quotesData(err) ? undefined : err;
  return new ProviderError("malformed", `${provider} sent a reply that cannot be read (${nameOf(err)})`, { cause });
}

/** The packages' own errors hold whole requests and replies, and a syntax error the text that it is about. */
function quotesData(err: unknown): boolean {
  return AISDKError.isInstance(err) || err instanceof SyntaxError;
}

/** The error of a stream's error part: the provider's own, or that an event could not be read. */
export function fromStreamError(error: unknown, provider: string, secrets: readonly string[]): ProviderError {
  // Some packages know no errors inside streams: an event that is one fails their check of its shape.
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

/** The request cannot be put in the provider's terms: a caller's fault, as the provider itself would say with 400. */
export function badRequest(provider: string, problem: string): ProviderError {
  return new ProviderError("status", `${provider} cannot be asked this: ${problem}`, { status: 400 }).asFree();
}
