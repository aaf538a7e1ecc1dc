import type { InspectedText } from "./verdict.ts";

const turnsMax = 6;
const turnLengthMax = 400;
/** Roles between turns: a model's answers, and parameters, which are no part of the conversation. */
const skippedRoles: ReadonlySet<string> = new Set(["assistant", "parameter"]);

/**
 * The last short messages joined, because an attack can be spread over several. Nothing when there is only one, or when
 * the last is long enough to be judged alone.
 */
export function recentTurns(texts: readonly InspectedText[]): { text: string; textIndex: number } | undefined {
  const parts: string[] = [];
  let last = -1;
  for (let index = texts.length - 1; index >= 0 && parts.length < turnsMax; index -= 1) {
    const entry = texts[index];
    if (entry === undefined || skippedRoles.has(entry.role)) continue;
    if (entry.text.length > turnLengthMax) break;
    if (last < 0) last = index;
    parts.unshift(entry.text);
  }
  return parts.length < 2 ? undefined : { text: parts.join(" "), textIndex: last };
}
