import type { PlaceholderValues } from "@gatehouse/placeholders";
import type { Judgement } from "./guardrail-client.ts";
import { type Masking, maskSegmentsInSteps, type Segment } from "./units.ts";

/** Changes of texts between their judgement and their reader. */
export interface Rewriting {
  readonly masking: Masking | undefined;
  /** Values of the placeholders in the request. */
  readonly values: PlaceholderValues | undefined;
}

/** Masks of a judgement; undefined where nothing is masked. */
export function maskingOf(judgement: Judgement | undefined): Masking | undefined {
  const { maskedTexts, maskedSpans = [] } = judgement ?? {};
  return maskedTexts && { texts: maskedTexts, spans: maskedSpans };
}

const stepTexts = 256;

/**
 * Texts of the segments, masked, and with the request's placeholders replaced by their values.
 * @throws GatewayError as `maskSegmentsInSteps`
 */
export function* rewriteSegmentsInSteps(
  segments: readonly Segment[],
  { masking, values }: Rewriting,
): Generator<void, readonly string[]> {
  const texts =
    masking === undefined ? segments.map(({ text }) => text) : yield* maskSegmentsInSteps(segments, masking);
  if (values === undefined) return texts;
  const restored: string[] = [];
  for (const text of texts) {
    restored.push(values.restore(text));
    if (restored.length % stepTexts === 0) yield;
  }
  return restored;
}
