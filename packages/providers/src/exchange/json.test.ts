import { expect, test } from "vitest";
import { parseReplyJson } from "./json.ts";

test("a reply nested beyond the bound is undefined", () => {
  expect(parseReplyJson("[".repeat(128) + "]".repeat(128))).toBeInstanceOf(Array);
  expect(parseReplyJson("[".repeat(129) + "]".repeat(129))).toBeUndefined();
});

test.each(["", "{", "no", "{]"])("a text that is not JSON is undefined: %j", (text) => {
  expect(parseReplyJson(text)).toBeUndefined();
});

test("equal keys, and embeddings of many dimensions, are read as JSON.parse reads them", () => {
  expect(parseReplyJson('{"a":1,"a":2,"A":3}')).toEqual({ a: 2, A: 3 });
  const embeddings = JSON.stringify({
    data: Array.from({ length: 500 }, () => ({ embedding: Array(1_000).fill(0.5) })),
  });
  expect(parseReplyJson(embeddings)).toEqual(JSON.parse(embeddings));
});
