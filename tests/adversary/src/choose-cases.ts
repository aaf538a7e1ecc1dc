import { createHash } from "node:crypto";
import type { Case } from "./matrix.ts";
import { accepts, places } from "./places/index.ts";
import { shapes } from "./shapes/index.ts";

/** Every shape in every place that accepts its kind. */
export function everyCase(): readonly Case[] {
  return places.flatMap((place) => shapes.filter((shape) => accepts(place, shape)).map((shape) => ({ place, shape })));
}

/** Shuffles the cases deterministically, so that a run that ends early has tried a sample. */
export function spread(cases: readonly Case[]): readonly Case[] {
  const keyed = cases.map((entry) => ({ entry, key: digestOf(entry) }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}

function digestOf({ place, shape }: Case): string {
  return createHash("sha256")
    .update(JSON.stringify([place.name, shape.name]))
    .digest("hex");
}

/** Places with a smaller bound say little about a shape. */
const tellingBytesMin = 1024 * 1024;

/** Each shape once, where it can be large, and each place at least once, so that neighbouring shapes meet different places. */
export function everyShapeOnce(): readonly Case[] {
  const used = new Map<string, number>();
  const cases = shapes.map((shape) => {
    const [place] = places
      .filter((candidate) => candidate.bytesMax >= tellingBytesMin && accepts(candidate, shape))
      .toSorted((a, b) => (used.get(a.name) ?? 0) - (used.get(b.name) ?? 0));
    if (place === undefined) throw new Error(`No place takes the shape "${shape.name}".`);
    used.set(place.name, (used.get(place.name) ?? 0) + 1);
    return { place, shape };
  });
  const left = places.filter(({ name }) => !used.has(name));
  return [...cases, ...left.map((place, at) => ({ place, shape: shapeFor(place, at) }))];
}

function shapeFor(place: Case["place"], at: number): Case["shape"] {
  const accepted = shapes.filter((shape) => accepts(place, shape));
  const shape = accepted[(at * 7) % accepted.length];
  if (shape === undefined) throw new Error(`No shape is for the place "${place.name}".`);
  return shape;
}
