import { mayBeContainer } from "@gatehouse/json";
import type { CompiledPattern } from "./compile-policy.ts";
import { selectTexts } from "./json-path.ts";
import type { PatternDocument } from "./policy-document.ts";
import type { Block, Side } from "./verdict.ts";

/** UTF-16 units of a text that is parsed for patterns that name a path: as many as a body of the gateway can have. */
const jsonLengthMax = 4_194_304;

/** Whether a pattern that looks at values of JSON, or at a tool alone, finds something. */
export function fits({ path, single }: CompiledPattern, value: ParsedText): boolean {
  if (path === undefined) return true;
  if (value === undefined) return false;
  const texts = value === "too_long" ? undefined : selectTexts(value.json, path);
  // A text that cannot be searched counts as a find, else a caller could hide a value behind very many others.
  if (texts === undefined) return true;
  return single === undefined ? texts.length > 0 : texts.some((text) => single.matcher(text).find());
}

/** A parsed text: its JSON, `too_long` where it was not parsed, or undefined where it is no JSON. */
export type ParsedText = { readonly json: unknown } | "too_long" | undefined;

/** Parses a text that may be an object or a list of JSON. */
export function parseJsonText(text: string): ParsedText {
  if (!mayBeContainer(text)) return undefined;
  if (text.length > jsonLengthMax) return "too_long";
  try {
    // Readers forgive a byte order mark.
    return { json: JSON.parse(text.trimStart()) as unknown };
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
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
