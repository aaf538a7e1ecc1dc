import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Product, startStandalone } from "../src/product.ts";
import { findBreaks, type ListedTool } from "../src/tool-list/find-breaks.ts";
import { copy, readCopy, readTools, toText } from "../src/tool-list/tool-list.ts";

let product: Product;
let listed: readonly ListedTool[];
let kept: readonly ListedTool[];

beforeAll(async () => {
  product = await startStandalone();
  [listed, kept] = await Promise.all([readTools(product), readCopy()]);
});
afterAll(async () => await product.stop());

test("no change of an operation breaks present clients", () => {
  expect(findBreaks(kept, listed)).toEqual([]);
});

test("the copy of tools/list is up to date; `pnpm build && pnpm tool-list` renews it", async () => {
  await expect(toText(listed)).toMatchFileSnapshot(fileURLToPath(copy));
});

test("descriptions of operations and fields name the thing first", () => {
  const questions = toText(listed).matchAll(/"description":"((?:What|Where|Who|Whose|How)\b[^"]*)/g);
  expect([...questions].map(([, description]) => description)).toEqual([]);
});

test("every argument has a description, which people see as the option's help", () => {
  const undescribed = listed.flatMap(({ name, inputSchema: { properties = {} } }) =>
    Object.entries(properties)
      .filter(([, { description }]) => description === undefined)
      .map(([argument]) => `${name}.${argument}`),
  );
  expect(undescribed).toEqual([]);
});
