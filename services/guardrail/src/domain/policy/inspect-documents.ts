import type { ActiveChecks } from "./compile-policy.ts";
import { parseJsonTexts } from "./json-texts.ts";
import { takesRole } from "./scope.ts";
import {
  type Block,
  type Finding,
  findingsMax,
  type InspectedText,
  type InspectRequest,
  type Verdict,
} from "./verdict.ts";
import { blockOfPattern, fits } from "./whole-patterns.ts";

/** Judges whole JSON values by the patterns with a path. Pure; each value, with the JSON texts in it, is parsed once, and only where a pattern is about it. */
export function inspectDocuments(active: readonly ActiveChecks[], { texts, side }: InspectRequest): Verdict {
  const findings: Finding[] = [];
  let block: Block | undefined;
  for (const [textIndex, entry] of texts.entries()) {
    for (const { document } of fittingPatterns(active, entry)) {
      const place = { start: 0, end: entry.text.length, textIndex };
      if (findings.length < findingsMax) findings.push({ detector: "pattern", label: document.name, ...place });
      block ??= blockOfPattern(side, document);
    }
  }
  return { blocked: block !== undefined, ...block, findings };
}

function fittingPatterns(active: readonly ActiveChecks[], { role, tool = "", text }: InspectedText) {
  const asked = active
    .filter(({ when }) => when === undefined || takesRole(when, role))
    .flatMap(({ policy }) => policy.patterns?.withPath ?? [])
    .filter(({ takesTool }) => takesTool(tool));
  if (asked.length === 0) return [];
  const value = parseJsonTexts(text);
  return asked.filter((pattern) => fits(pattern, value));
}
