import { expect, test } from "vitest";
import { itemOf, parseWrapperPath } from "./paths.ts";

test.each([
  ["/api/u/v1/chat/completions", "chat"],
  ["/api/u/v1/chat/completions?x=/v1", "chat"],
  ["/api/u/v1/embeddings", "embeddings"],
  ["/api/u/v1/completions", "completions"],
  ["/api/u/v1/models", "models"],
  ["/api/u/v1/models/an-alias?x", "model"],
  ["/api/u/v1/models/a/b", undefined],
  ["/api/u/v1", undefined],
  ["/api/u/v1/files", undefined],
  ["/api/u/chat/completions", undefined],
  ["/api/v1/models", undefined],
  ["/api/u/slug", undefined],
  ["/", undefined],
])("%s asks for %s", (url, resource) => {
  expect(parseWrapperPath(url)).toBe(resource);
});

test.each([
  ["/api/u/v1/models/an-alias?x=/y", "an-alias"],
  ["/api/u/v1/models/a%2Fb", "a/b"],
  ["/api/u/v1/models/%ff", "%ff"],
])("%s names %s", (url, item) => {
  expect(itemOf(url)).toBe(item);
});
