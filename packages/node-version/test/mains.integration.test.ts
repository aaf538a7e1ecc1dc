import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oldestNode } from "../src/index.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Programs that people start with their own Node; others are started with the Node of `scripts/toolchain.mjs`. */
const mains = [...globSync("services/*/src/main.ts", { cwd: root }), "packages/migrate/src/main.ts"];

/** Modules that are loaded before the first line runs. */
const staticImports = /^import (?!type\b)(?:[^;]* from )?"([^"]+)";$/gmu;

test("there are programs to look at", () => {
  expect(mains.length).toBeGreaterThan(9);
});

test.each(mains)("%s checks the version of Node before it loads what an older one cannot load", (main) => {
  const text = read(main);
  const loaded = [...text.matchAll(staticImports)].map(([, specifier]) => specifier);
  expect(loaded).toEqual(["node:process", "@gatehouse/node-version"]);
  expect(text).toContain("\nrequireNode(process);\n");
});

test("the version is the one that the repository's scripts fetch a Node for", () => {
  const { devEngines } = JSON.parse(read("package.json")) as { devEngines: { runtime: { version: string } } };
  expect(devEngines.runtime.version).toBe(`>=${oldestNode}`);
});
