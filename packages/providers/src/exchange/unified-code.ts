import { contentFiltered, contextLengthExceeded, rateLimited } from "../provider.ts";

/** Statuses under which providers report a request that is too long or filtered; an error in a stream may have none. */
const refusalStatuses: ReadonlySet<number | undefined> = new Set([400, 403, 413, 422, undefined]);

/**
 * Messages for a request that does not fit a model: OpenAI, Azure and vLLM ("maximum context length is"), Anthropic ("prompt is
 * too long", "exceed context limit"), Google ("input token count (…) exceeds the maximum"), Mistral ("too large for model with …
 * maximum context length"), Bedrock ("Input is too long for requested model"), llama.cpp ("exceeds the available context size"),
 * Ollama ("exceeds … context length"), Groq ("reduce the length of the messages"), xAI ("maximum prompt length is").
 */
const tooLong =
  /context[ _-]?(?:length|window|size|limit)|prompt is too long|input is too long|input token count|maximum (?:prompt|model|input) length|longer than the maximum model length|reduce (?:the length of|your) (?:the )?(?:messages|prompt|input)/i;
/** OpenAI's and llama.cpp's error names for the same. */
const tooLongNames: ReadonlySet<string> = new Set([contextLengthExceeded, "exceed_context_size_error"]);

/** OpenAI's, Azure's and aggregators' names for a filter's refusal. */
const filteredNames: ReadonlySet<string> = new Set([
  contentFiltered,
  "content_policy_violation",
  "ResponsibleAIPolicyViolation",
  "moderation_blocked",
]);
const filtered = /content (?:management )?(?:policy|filter)|moderation|flagged/i;

/** Names for requests that came too fast: OpenAI, Anthropic, Google, Mistral, Bedrock, Azure. Not for a quota that is used up. */
const rateLimitedNames: ReadonlySet<string> = new Set([
  rateLimited,
  "rate_limit_error",
  "RESOURCE_EXHAUSTED",
  "rate_limited",
  "ThrottlingException",
  "throttlingException",
  "RateLimitReached",
  "too_many_requests",
]);

/**
 * A code that is the same for all providers where callers act on it; else the provider's error name.
 * @param name the provider's error name, if any
 * @param message the provider's message; matched, never kept
 */
export function unifiedCodeOf(
  status: number | undefined,
  name: string | undefined,
  message: string,
): string | undefined {
  if (status === 429 && (name === undefined || rateLimitedNames.has(name))) return rateLimited;
  if (!refusalStatuses.has(status)) return name;
  if (name !== undefined && filteredNames.has(name)) return contentFiltered;
  if (name !== undefined && tooLongNames.has(name)) return contextLengthExceeded;
  if (filtered.test(message)) return contentFiltered;
  return status !== 403 && tooLong.test(message) ? contextLengthExceeded : name;
}
