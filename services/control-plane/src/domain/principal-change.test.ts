import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodePrincipalChange, parsePrincipalChange } from "./principal-change.ts";

test.each([
  { kind: "token", tokenId: 1 },
  { kind: "project", projectUuid: "u" },
  { kind: "admin_key", adminKeyId: 2 },
] as const)("%j survives the way through the feed", (change) => {
  expect(parsePrincipalChange(encodePrincipalChange(change))).toEqual(change);
});

test("any announcement can be read without an error", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (payload) => {
      expect(parsePrincipalChange(payload)).toBeUndefined();
    }),
  );
});
