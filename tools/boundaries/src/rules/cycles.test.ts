import { expect, test } from "vitest";
import { breachesOf, manifest } from "../testing/in-memory-repository.ts";

test("workspaces that depend on each other are reported once, dev dependencies included", () => {
  const found = breachesOf("no-workspace-cycle", {
    "packages/a/package.json": manifest("@x/a", { dependencies: { "@x/b": "1" } }),
    "packages/b/package.json": manifest("@x/b", { devDependencies: { "@x/c": "1" } }),
    "packages/c/package.json": manifest("@x/c", { dependencies: { "@x/a": "1" } }),
  });
  expect(found).toEqual(["packages/a/package.json:7 workspaces depend on each other: @x/a → @x/b → @x/c → @x/a"]);
});

test("workspaces that share a dependency are no cycle", () => {
  const found = breachesOf("no-workspace-cycle", {
    "packages/a/package.json": manifest("@x/a", { dependencies: { "@x/b": "1", "@x/c": "1" } }),
    "packages/b/package.json": manifest("@x/b", { dependencies: { "@x/c": "1" } }),
    "packages/c/package.json": manifest("@x/c"),
  });
  expect(found).toEqual([]);
});

test("files that import each other are reported, a file that imports itself too", () => {
  const found = breachesOf("no-file-cycle", {
    "services/chat/src/a.ts": `\nimport "./b.ts";`,
    "services/chat/src/b.ts": `export * from "./c.ts";`,
    "services/chat/src/c.ts": `await import("./a.ts");`,
    "services/chat/src/self.ts": `import "./self.ts";`,
  });
  expect(found).toEqual([
    "services/chat/src/a.ts:2 files import each other: services/chat/src/a.ts → services/chat/src/b.ts → services/chat/src/c.ts → services/chat/src/a.ts",
    "services/chat/src/self.ts:1 files import each other: services/chat/src/self.ts → services/chat/src/self.ts",
  ]);
});

test("an import of types is erased and makes no cycle; `{ type A }` is not and does", () => {
  const b = `import "./a.ts";`;
  const withA = (a: string) =>
    breachesOf("no-file-cycle", { "services/chat/src/a.ts": a, "services/chat/src/b.ts": b });
  expect(withA(`import type { B } from "./b.ts";`)).toEqual([]);
  expect(withA(`import { type B } from "./b.ts";`)).toHaveLength(1);
});
