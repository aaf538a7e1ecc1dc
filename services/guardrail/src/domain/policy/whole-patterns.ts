import type { CompiledPattern } from "./compile-policy.ts";
import { selectTexts } from "./json-path.ts";
import type { ParsedText } from "./json-texts.ts";
import type { PatternDocument } from "./policy-document.ts";
import type { Block, Side } from "./verdict.ts";

/** Whether a pattern that looks at values of JSON, or at a tool alone, finds something. */
export function fits({ path, single }: CompiledPattern, value: ParsedText): boolean {
  if (path === undefined) return true;
  if (value === undefined) return false;
  const texts = value === "unsearchable" ? undefined : selectTexts(value, path);
  // A text that cannot be searched counts as a find, else a caller could hide a value behind very many others.
  if (texts === undefined) return true;
  return single === undefined ? texts.length > 0 : texts.some((text) => single.matcher(text).find());
}

/** The block that a pattern in mode `block` asks for. */
export function blockOfPattern(side: Side, { name, mode }: PatternDocument): Block | undefined {
  if (mode !== "block") return undefined;
  return { reason: "pattern", message: blockedBy(name, side) };
}

/** Message of a block by a keyword, or by a pattern, which is named as a keyword is. */
export function blockedBy(name: string, side: Side): string {
  return `Request blocked: keyword '${name}' detected in ${side}.`;
}
