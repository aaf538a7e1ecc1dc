import { expect, test } from "vitest";
import { parseEmbeddings } from "./parse-embeddings.ts";

const vector = (index?: number) => ({ embedding: [0.5], ...(index === undefined ? {} : { index }) });
const parse = (...data: readonly object[]) => parseEmbeddings({ data }, "m", 2);

test("each text has its vector, in any order, and by its place where it has no index", () => {
  expect(parse(vector(1), vector(0))?.data.map(({ index }) => index)).toEqual([1, 0]);
  expect(parse(vector(), vector())?.data.map(({ index }) => index)).toEqual([0, 1]);
});

test.each([
  ["no vector", []],
  ["one too few", [vector(0)]],
  ["one too many", [vector(0), vector(1), vector(2)]],
  ["one twice", [vector(0), vector(0)]],
  ["one of another text", [vector(0), vector(7)]],
])("%s is no answer", (_name, data) => expect(parse(...data)).toBeUndefined());
