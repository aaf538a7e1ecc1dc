import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("npm does not warn of a Node that README.md says is new enough", () => {
  const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
  const promised = /^Requirements: Node (\d+) or newer/m.exec(read("README.md"))?.[1];
  expect(promised).toBeDefined();
  expect(engines.node).toBe(`>=${promised}`);
});
