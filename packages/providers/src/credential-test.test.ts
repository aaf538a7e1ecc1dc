import { ProviderError } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { verdictOf } from "./credential-test.ts";

test.each([
  [401, /^The provider refuses the key: /],
  [404, /the key may be good: /],
  [429, /knows the key/],
  [500, /^It broke$/],
])("status %d has a message about the key", (status, message) => {
  const verdict = verdictOf(new ProviderError("status", "It broke", { status }));
  expect(verdict).toMatchObject({ ok: false, status, message: expect.stringMatching(message) });
});

test("a provider that is not reached has no status", () => {
  expect(verdictOf(new ProviderError("unreachable", "no connection"))).toEqual({
    ok: false,
    status: null,
    message: "no connection",
  });
});
