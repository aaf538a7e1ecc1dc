import { contentFiltered, contextLengthExceeded } from "../provider.ts";

/** Statuses under which providers say that a request is too long, or that a filter refuses it; a stream's error may have none. */
const refusalStatuses: ReadonlySet<number | undefined> = new Set([400, 403, 413, 422, undefined]);

/**
 * Words of providers for a request that does not fit a model: OpenAI, Azure and vLLM ("maximum context length is"), Anthropic ("prompt is
 * too long", "exceed context limit"), Google ("input token count (…) exceeds the maximum"), Mistral ("too large for model with …
 * maximum context length"), Bedrock ("Input is too long for requested model"), llama.cpp ("exceeds the available context size"),
 * Ollama ("exceeds … context length"), Groq ("reduce the length of the messages"), xAI ("maximum prompt length is").
 */
const tooLong =
  /context[ _-]?(?:length|window|size|limit)|prompt is too long|input is too long|input token count|maximum (?:prompt|model|input) length|longer than the maximum model length|reduce (?:the length of|your) (?:the )?(?:messages|prompt|input)/i;
/** Names that say so: OpenAI's and llama.cpp's. */
const tooLongNames: ReadonlySet<string> = new Set([contextLengthExceeded, "exceed_context_size_error"]);

/** OpenAI's and Azure's names of a filter's refusal, and what aggregators say. */
const filteredNames: ReadonlySet<string> = new Set([
  contentFiltered,
  "content_policy_violation",
  "ResponsibleAIPolicyViolation",
  "moderation_blocked",
]);
const filtered = /content (?:management )?(?:policy|filter)|moderation|flagged/i;

/**
 * One code for what callers act on, whichever provider says it; else the provider's own name.
 * @param name the provider's own, where it has one
 * @param message the provider's words; matched, never kept
 */
export function unifiedCodeOf(
  status: number | undefined,
  name: string | undefined,
  message: string,
): string | undefined {
  if (!refusalStatuses.has(status)) return name;
  if (name !== undefined && filteredNames.has(name)) return contentFiltered;
  if (name !== undefined && tooLongNames.has(name)) return contextLengthExceeded;
  if (filtered.test(message)) return contentFiltered;
  return status !== 403 && tooLong.test(message) ? contextLengthExceeded : name;
}
