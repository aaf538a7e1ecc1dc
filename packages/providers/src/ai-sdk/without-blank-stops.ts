import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

/** A request of Claude, which refuses stop sequences of white space only: those are left out. */
export function withoutBlankStops(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { stopSequences, ...others } = options;
  if (stopSequences === undefined) return options;
  const visible = stopSequences.filter((stop) => stop.trim() !== "");
  return visible.length === 0 ? others : { ...others, stopSequences: visible };
}
