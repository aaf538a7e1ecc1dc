import { expect, test } from "vitest";
import { foldOf } from "../corpus.ts";
import { readWrittenDocuments } from "../fresh.ts";
import { createRandom } from "../random.ts";
import { writtenExamples } from "./written.ts";

const examples = writtenExamples(createRandom(1));
const from = (source: string) => examples.filter((example) => example.source === `own-written-${source}`);

test("each document with an attack is paired with one that has harmless words in its place", () => {
  const attacks = from("document-attack");
  const twins = from("document-benign");
  expect(attacks.length).toBeGreaterThan(1000);
  expect(twins.map(({ cluster }) => cluster)).toEqual(attacks.map(({ cluster }) => cluster));
  expect(attacks.every(({ attack, cluster }) => attack && foldOf(cluster) >= 0)).toBe(true);
  expect(twins.some(({ attack }) => attack)).toBe(false);
});

test("an attack typed by a user is paired with a harmless request of the same words, and both are held out together", () => {
  const pairs = examples.filter(({ cluster }) => cluster.startsWith("fresh-pairs"));
  const clusters = (isAttack: boolean) =>
    new Set(pairs.filter(({ attack }) => attack === isAttack).map(({ cluster }) => cluster));
  expect(clusters(true).size).toBeGreaterThan(350);
  expect(clusters(false)).toEqual(clusters(true));
  expect(pairs.filter(({ text }) => text.includes("##") || /\{[^{}]*\|/u.test(text))).toEqual([]);
});

test("no mark of a pair is left in a text", () => {
  const marked = readWrittenDocuments("documents").filter(({ attack, harmless }) =>
    [attack, harmless].some(({ text }) => text.includes("##")),
  );
  expect(marked).toEqual([]);
  const pairs = ["document", "bare", "moved"].flatMap((name) => [...from(`${name}-attack`), ...from(`${name}-benign`)]);
  expect(pairs.filter(({ text }) => text === "" || /\{\{[^{}]*##/u.test(text))).toEqual([]);
});

test("braces and bars of texts without choices are kept", () => {
  const texts = new Set(from("single-ordinary").map(({ text }) => text));
  expect(from("single-ordinary").some(({ text }) => /\{[^{}]*\|[^{}]*\}/u.test(text))).toBe(true);
  expect(texts.size).toBeGreaterThan(600);
});
