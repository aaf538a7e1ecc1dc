import type { ScratchBuffers } from "../text/scratch-buffers.ts";
import { concepts } from "./lexicon.ts";
import { conceptOf, type Hits, lengthOf } from "./stems.ts";

/** Two ideas this many letters apart count as near and as related. */
const nearLetters = 30;
const relatedLetters = 90;
const recentHitsMax = 12;
/** An idea or a pair of ideas counts once in this many letters. */
const onceInLetters = 384;

const conceptCount = concepts.length;
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

/** Memory that features are collected in. */
interface Collector {
  readonly features: Int32Array;
  readonly ats: Int32Array;
  count: number;
}

/** The features of the ideas of a text; each pair looks back over a bounded number of earlier ideas. Linear. */
export function conceptFeatures(hits: Hits, scratch?: ScratchBuffers): ConceptFeatures {
  const most = hits.count * featuresPerHit;
  const features = scratch?.numbersOf("ideaFeatures", most) ?? new Int32Array(most);
  const ats = scratch?.numbersOf("ideaPlaces", most) ?? new Int32Array(most);
  const found: Collector = { features, ats, count: 0 };
  for (let position = 0; position < hits.count; position += 1) addFeaturesOf(hits, position, found);
  for (let index = 0; index < found.count; index += 1) lastEnds[features[index] ?? 0] = 0;
  pairedFor.fill(0);
  return found;
}

/** Adds an idea, its pairs with those before it, and the three in a row that it ends. */
function addFeaturesOf({ ats, stems }: Hits, position: number, found: Collector): void {
  const stem = stems[position] ?? 0;
  const start = ats[position] ?? 0;
  const at = start + lengthOf(stem) - 1;
  const concept = conceptOf(stem);
  add(found, concept, at);
  const first = Math.max(0, position - recentHitsMax);
  pairedFor[concept] = position + 1;
  for (let back = position - 1; back >= first; back -= 1) {
    const earlier = stems[back] ?? 0;
    const apart = start - (ats[back] ?? 0) - lengthOf(earlier);
    if (apart > relatedLetters) break;
    const other = conceptOf(earlier);
    if (pairedFor[other] === position + 1) continue;
    pairedFor[other] = position + 1;
    add(found, (apart <= nearLetters ? nearPairs : relatedPairs) + other * conceptCount + concept, at);
  }
  if (position < 2) return;
  const [one, two] = [stems[position - 2] ?? 0, stems[position - 1] ?? 0];
  if (start - (ats[position - 2] ?? 0) - lengthOf(one) > relatedLetters) return;
  const key = (conceptOf(one) * conceptCount + conceptOf(two)) * conceptCount + concept;
  add(found, triples + (Math.imul(key, 0x9e37_79b1) >>> (32 - tripleBits)), at);
}

/** Adds a feature unless it has counted in the letters before. */
function add(found: Collector, feature: number, at: number): void {
  const last = lastEnds[feature] ?? 0;
  if (last !== 0 && at + 1 - last < onceInLetters) return;
  lastEnds[feature] = at + 1;
  found.features[found.count] = feature;
  found.ats[found.count] = at;
  found.count += 1;
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
