import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { ProviderError } from "../provider.ts";
import { isNamed } from "./reply-view.ts";

/**
 * OpenAI's finish reason. A finish without a `raw` reason was made up by the package, so the answer broke off. Reasons that OpenAI
 * does not have become `stop`, since its clients know no other for an answer that ended by itself.
 * @throws ProviderError `cut`, or `malformed` where the provider reports that the model's output is broken.
 */
export function toFinishReason({ unified, raw }: LanguageModelV4FinishReason, provider: string): string {
  if (!isNamed(raw) || unified === "interrupted") {
    throw new ProviderError("cut", `${provider} ended its answer before it was finished`);
  }
  switch (unified) {
    case "stop":
    case "length":
      return unified;
    case "content-filter":
      return "content_filter";
    case "tool-calls":
      return "tool_calls";
    case "error":
      throw broken(raw, provider);
    case "other":
      break;
  }
  if (brokenAnswer.test(raw)) throw broken(raw, provider);
  return fullContext.test(raw) ? "length" : "stop";
}

/** Reasons unknown to the packages: Bedrock's `malformed_model_output` and `malformed_tool_use`, Google's `UNEXPECTED_TOOL_CALL`. */
const brokenAnswer = /error|malformed|unexpected/i;
/** Bedrock's `model_context_window_exceeded`. */
const fullContext = /context_window/i;

function broken(raw: string, provider: string): ProviderError {
  return new ProviderError("malformed", `${provider} ended its answer with ${inWords(raw)}`);
}

/** A reason that is no single word may be a text of the provider, which may quote the request. */
function inWords(raw: string): string {
  return /^[\w.-]{1,60}$/.test(raw) ? `the finish reason '${raw}'` : "an unknown finish reason";
}
