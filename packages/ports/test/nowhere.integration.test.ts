import { expect, test } from "vitest";
import { isListening } from "../src/index.ts";
import { nowhere } from "../src/testing.ts";

test("nothing listens at the origin of a server that is not there", async () => {
  expect(await isListening(Number(new URL(nowhere).port))).toBe(false);
});
