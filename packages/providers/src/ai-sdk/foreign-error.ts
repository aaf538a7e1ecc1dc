import { ProviderError } from "../provider.ts";
import {
  AISDKError,
  APICallError,
  InvalidArgumentError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { fromErrorEvent } from "../exchange/error-reply.ts";
import { asRecord } from "../exchange/json.ts";

interface ForeignErrorContext {
  readonly provider: string;
  /** Never shown, whatever the provider says. */
  readonly secrets: readonly string[];
}

/**
 * Converts an error of a package that did not come from the wire. Of errors that quote requests or replies only the name is kept;
 * another one is a defect, of the package or of its installation, and stays as the cause.
 */
export function fromThrown(err: unknown, context: ForeignErrorContext): ProviderError {
  const { provider } = context;
  if (err instanceof ProviderError) return err;
  if (UnsupportedFunctionalityError.isInstance(err)) return badRequest(provider, `no ${err.functionality}`);
  if (InvalidArgumentError.isInstance(err))
    return badRequest(provider, "a parameter has a value that it does not take");
  // Anthropic's package turns an error that is a stream's first event into a call error with a made-up status.
  if (APICallError.isInstance(err) && isErrorStatus(err.statusCode)) {
    return fromErrorEvent(provider, { statusCode: err.statusCode, message: err.message }, context.secrets);
  }
  const cause = quotesData(err) ? undefined : err;
  return new ProviderError("malformed", `${provider} sent a reply that cannot be read (${nameOf(err)})`, { cause });
}

/** The packages' own errors hold whole requests and replies, and a syntax error the text that it is about. */
function quotesData(err: unknown): boolean {
  return AISDKError.isInstance(err) || err instanceof SyntaxError;
}

/** The error of a stream's error part: the provider's own, or that an event could not be read. */
export function fromStreamError(error: unknown, context: ForeignErrorContext): ProviderError {
  // Some packages know no errors inside streams: an event that is one fails their check of its shape.
  const event = TypeValidationError.isInstance(error) ? asRecord(error.value) : undefined;
  if (event?.error !== undefined) return fromErrorEvent(context.provider, event.error, context.secrets);
  if (event?.object === "error") return fromErrorEvent(context.provider, event, context.secrets);
  if (error instanceof Error) return fromThrown(error, context);
  return fromErrorEvent(context.provider, asRecord(error) ?? String(error), context.secrets);
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
