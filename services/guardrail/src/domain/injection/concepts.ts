import { concepts } from "./lexicon.ts";
import type { Scratch } from "../text/scratch.ts";
import type { ConceptHit } from "./stems.ts";

/** Two ideas this many letters apart count as near and as related. */
const nearLetters = 30;
const relatedLetters = 90;
const recentHitsMax = 12;
/** An idea or a pair of ideas counts once in this many letters. */
const onceInLetters = 384;

export const conceptCount = concepts.length;
const pairCount = conceptCount * conceptCount;
const nearPairs = conceptCount;
const relatedPairs = nearPairs + pairCount;
const triples = relatedPairs + pairCount;
/** Three ideas in a row share this many places. */
const tripleBits = 13;
/** Features of ideas: each alone, each ordered pair near, each ordered pair related, and three in a row. */
export const conceptFeatureCount = triples + (1 << tripleBits);

/** Features in the order of their places; only the first `count` entries count. */
export interface ConceptFeatures {
  readonly features: Int32Array;
  /** Letter index at which the idea, or the latest idea of the feature, ends. */
  readonly ats: Int32Array;
  readonly count: number;
}

/** Each idea adds itself, its pairs and its three in a row. */
const featuresPerHit = recentHitsMax + 2;

/** Letter after which each feature has last counted, and 0; cleared after use. */
const lastEnds = new Int32Array(conceptFeatureCount);
/** The hit for which each idea was last paired, counted from one; cleared after use. */
const pairedFor = new Int32Array(conceptCount);

/** The features of a list of ideas; each pair looks back over a bounded number of earlier ideas. Linear. */
export function conceptFeatures(hits: readonly ConceptHit[], scratch?: Scratch): ConceptFeatures {
  const most = hits.length * featuresPerHit;
  const features = scratch?.numbersOf("ideaFeatures", most) ?? new Int32Array(most);
  const ats = scratch?.numbersOf("ideaPlaces", most) ?? new Int32Array(most);
  let count = 0;
  const add = (feature: number, at: number): void => {
    const last = lastEnds[feature] ?? 0;
    if (last !== 0 && at + 1 - last < onceInLetters) return;
    lastEnds[feature] = at + 1;
    features[count] = feature;
    ats[count] = at;
    count += 1;
  };
  for (let position = 0; position < hits.length; position += 1) {
    const hit = hits[position];
    if (hit === undefined) break;
    const at = hit.end - 1;
    add(hit.concept, at);
    const first = Math.max(0, position - recentHitsMax);
    pairedFor[hit.concept] = position + 1;
    for (let back = position - 1; back >= first; back -= 1) {
      const earlier = hits[back];
      if (earlier === undefined || hit.at - earlier.end > relatedLetters) break;
      if (pairedFor[earlier.concept] === position + 1) continue;
      pairedFor[earlier.concept] = position + 1;
      const isNear = hit.at - earlier.end <= nearLetters;
      add((isNear ? nearPairs : relatedPairs) + earlier.concept * conceptCount + hit.concept, at);
    }
    const triple = tripleAt(hits, position);
    if (triple !== 0) add(triple, at);
  }
  for (let index = 0; index < count; index += 1) lastEnds[features[index] ?? 0] = 0;
  pairedFor.fill(0);
  return { features, ats, count };
}

/** The feature of an idea and the two before it, or 0 when they are too far from one another. */
function tripleAt(hits: readonly ConceptHit[], position: number): number {
  const one = hits[position - 2];
  const two = hits[position - 1];
  const three = hits[position];
  if (one === undefined || two === undefined || three === undefined || three.at - one.end > relatedLetters) return 0;
  const key = (one.concept * conceptCount + two.concept) * conceptCount + three.concept;
  return triples + (Math.imul(key, 0x9e37_79b1) >>> (32 - tripleBits));
}

/** Name of a feature for explanations, such as `override+instruction`; undefined where many share a place. */
export function conceptFeatureName(feature: number): string | undefined {
  if (feature < conceptCount) return nameOf(feature);
  if (feature >= triples) return undefined;
  const pair = (feature - conceptCount) % pairCount;
  return `${nameOf(Math.floor(pair / conceptCount))}+${nameOf(pair % conceptCount)}`;
}

function nameOf(concept: number): string {
  return concepts[concept] ?? "unknown";
}
