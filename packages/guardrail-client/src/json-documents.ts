import { mayBeContainer } from "@gatehouse/json";
import type { InspectedText } from "./guardrail-client.ts";
import { type Segment, toUnitsInSteps } from "./units.ts";

/** JSON values whose texts are judged one by one as `segments`. */
export interface JsonTexts {
  readonly segments: readonly Segment[];
  readonly values: readonly InspectedText[];
}

/**
 * Documents for patterns with a path: whole values, and small texts in them that are JSON themselves, which are otherwise judged
 * joined with their neighbours.
 */
export function* toDocumentsInSteps({ segments, values }: JsonTexts): Generator<void, InspectedText[]> {
  const documents = values.filter(({ text }) => mayBeContainer(text));
  for (const { first, end } of yield* toUnitsInSteps(segments)) {
    if (end === first + 1) continue;
    for (const { role, text, tool } of segments.slice(first, end)) {
      if (mayBeContainer(text)) documents.push(tool === undefined ? { role, text } : { role, text, tool });
    }
  }
  return documents;
}
