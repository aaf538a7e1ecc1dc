import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { ProviderError } from "../provider.ts";

/**
 * OpenAI's finish reason. Packages make up a finish where the provider sent none, without a `raw` reason: that is an
 * answer that broke off, whatever it is called. A reason of the provider's own is passed on in lower case.
 * @throws ProviderError `cut`, or `malformed` where the provider says that the model's output is broken.
 */
export function toFinishReason({ unified, raw }: LanguageModelV4FinishReason, provider: string): string {
  if (raw === undefined || unified === "interrupted") {
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
      throw new ProviderError("malformed", `${provider} ended its answer with ${raw.slice(0, 60)}`);
    case "other":
      break;
  }
  return raw.toLowerCase();
}
