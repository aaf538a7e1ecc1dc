import type { InspectedText } from "./guardrail-client.ts";
import { type Segment, toUnitsInSteps } from "./units.ts";

/** JSON values whose texts are judged one by one as `segments`. */
export interface JsonTexts {
  readonly segments: readonly Segment[];
  /** JSON texts of the values. */
  readonly values: readonly string[];
  readonly role: string;
}

const jsonBeginning = /^\s*[[{]/u;

/**
 * The values as patterns with a path judge them: whole, and small texts in them that are JSON by themselves and are judged joined
 * with their neighbours, where no path fits them.
 */
export function* toDocumentsInSteps({ segments, values, role }: JsonTexts): Generator<void, InspectedText[]> {
  const documents = values.filter((text) => jsonBeginning.test(text)).map((text) => ({ role, text }));
  for (const { first, end } of yield* toUnitsInSteps(segments)) {
    if (end === first + 1) continue;
    for (const { text } of segments.slice(first, end)) if (jsonBeginning.test(text)) documents.push({ role, text });
  }
  return documents;
}
