import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import { sendError } from "@gatehouse/http";
import { ProviderError } from "@gatehouse/providers";

/**
 * Sends an error in the REST format with its `code`. Where the status suggests a retry that would be useless, adds the header by
 * which OpenAI's clients refrain from it.
 */
export function sendWrapperError(res: ServerResponse, err: GatewayError, headers: OutgoingHttpHeaders): void {
  const { code, message, details, retryAfterSeconds } = err;
  const coded = new GatewayError(code, message, {
    details: { ...details, code },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  sendError(res, coded, mayHelpToRetry(err) ? headers : { ...headers, "x-should-retry": "false" });
}

function mayHelpToRetry({ profile, cause }: GatewayError): boolean {
  return profile.retryable && !(cause instanceof ProviderError && !cause.mayHelpToRetry);
}
