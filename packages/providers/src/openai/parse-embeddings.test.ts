import { expect, test } from "vitest";
import { parseEmbeddings } from "./parse-embeddings.ts";

const vector = (index?: number) => ({ embedding: [0.5], ...(index === undefined ? {} : { index }) });
const parse = (...data: readonly object[]) => parseEmbeddings({ data }, "m", 2);

test("each text has its vector in any order, and by position without an index", () => {
  expect(parse(vector(1), vector(0))?.data.map(({ index }) => index)).toEqual([1, 0]);
  expect(parse(vector(), vector())?.data.map(({ index }) => index)).toEqual([0, 1]);
});

test.each(["0", 0.5, null])("an index %j is that of the place", (index) => {
  expect(parse({ ...vector(), index }, vector(1))?.data.map((item) => item.index)).toEqual([0, 1]);
});

test("an object that is no text gets its name", () => {
  expect(parseEmbeddings({ object: null, model: "m", data: [vector(0)] }, "m", 1)).toMatchObject({ object: "list" });
});

test.each([
  ["no vector", []],
  ["a missing vector", [vector(0)]],
  ["an extra vector", [vector(0), vector(1), vector(2)]],
  ["a repeated index", [vector(0), vector(0)]],
  ["an index beyond the texts", [vector(0), vector(7)]],
])("%s is refused", (_name, data) => expect(parse(...data)).toBeUndefined());
