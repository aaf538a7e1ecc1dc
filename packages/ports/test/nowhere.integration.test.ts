import { expect, test } from "vitest";
import { isListening } from "../src/index.ts";
import { nowhere } from "../src/testing.ts";

test("nothing listens on the port of `nowhere`", async () => {
  expect(await isListening(Number(new URL(nowhere).port))).toBe(false);
});
