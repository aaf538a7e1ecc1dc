import { concepts } from "./lexicon.ts";
import type { ConceptHit } from "./stems.ts";

/** Two ideas this many letters apart count as near and as related. */
const nearLetters = 30;
const relatedLetters = 90;
const recentHitsMax = 12;
/** An idea or a pair of ideas counts once in this many letters. */
const onceInLetters = 384;

export const conceptCount = concepts.length;
/** Features of ideas: each alone, each ordered pair near, each ordered pair related. */
export const conceptFeatureCount = conceptCount + 2 * conceptCount * conceptCount;

export interface ConceptFeature {
  readonly feature: number;
  /** Letter index at which the idea, or the later idea of the pair, ends. */
  readonly at: number;
}

/** The features of a list of ideas; each pair looks back over a bounded number of earlier ideas. */
export function conceptFeatures(hits: readonly ConceptHit[]): ConceptFeature[] {
  const features: ConceptFeature[] = [];
  const lastAt = new Map<number, number>();
  const add = (feature: number, at: number): void => {
    const last = lastAt.get(feature);
    if (last !== undefined && at - last < onceInLetters) return;
    lastAt.set(feature, at);
    features.push({ feature, at });
  };
  for (const [position, hit] of hits.entries()) {
    const at = hit.end - 1;
    add(hit.concept, at);
    let seen = 0;
    for (let back = position - 1; back >= 0 && position - back <= recentHitsMax; back -= 1) {
      const earlier = hits[back];
      if (earlier === undefined || hit.at - earlier.end > relatedLetters) break;
      if (earlier.concept === hit.concept || (seen & (1 << earlier.concept)) !== 0) continue;
      seen |= 1 << earlier.concept;
      const pair = earlier.concept * conceptCount + hit.concept;
      const near = hit.at - earlier.end <= nearLetters;
      add(conceptCount + (near ? 0 : conceptCount * conceptCount) + pair, at);
    }
  }
  return features;
}

/** Name of a feature for explanations, such as `override+instruction`. */
export function conceptFeatureName(feature: number): string {
  if (feature < conceptCount) return nameOf(feature);
  const pair = (feature - conceptCount) % (conceptCount * conceptCount);
  return `${nameOf(Math.floor(pair / conceptCount))}+${nameOf(pair % conceptCount)}`;
}

function nameOf(concept: number): string {
  return concepts[concept] ?? "unknown";
}
