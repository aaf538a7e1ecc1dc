import { findFlaw, type JsonFlaw } from "@gatehouse/json/typed";
import { wordsOfRounded } from "./read-number.ts";
import { Unreadable } from "./unreadable.ts";

/**
 * Parses typed JSON. Refuses text that does not parse, or that parsing would silently change: duplicate members, numbers that
 * JavaScript rounds. @returns undefined for empty text
 */
export function readJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (err) {
    return new Unreadable(text, `Not JSON: ${err instanceof Error ? err.message : "unknown"}`);
  }
  const flaw = findFlaw(text);
  return flaw === undefined ? value : new Unreadable(text, wordsOf(flaw));
}

function wordsOf({ path, rounded }: JsonFlaw): string {
  const place = placeOf(path);
  if (rounded === undefined) return `${place} is given twice.`;
  const words = wordsOfRounded(rounded.from, rounded.to);
  return place === "" ? words : `${place}: ${words}`;
}

/** Path of a part of a JSON value in JavaScript's notation: `a.list[2]`, `["two words"]`. */
function placeOf(path: readonly string[]): string {
  const steps = path.map((step) => {
    if (/^\d+$/.test(step)) return `[${step}]`;
    return /^[\p{L}_$][\p{L}\d_$-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join("").replace(/^\./, "");
}
