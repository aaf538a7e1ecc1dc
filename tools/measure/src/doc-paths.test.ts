import { expect, test } from "vitest";
import { findLostPaths, findUndescribed, findUnlisted } from "./doc-paths.ts";

const files = [
  "packages/hats/README.md",
  "packages/hats/src/brim.ts",
  "packages/hats/src/wide-brim.ts",
  "docs/hats.md",
];
const lost = (path: string, text: string) => findLostPaths({ path, text }, files).map((each) => each.path);

test.each([
  [
    "docs/hats.md",
    "`packages/hats/src/brim.ts`, `packages/hats/`, `packages/hats/src/brim`, [hats](../packages/hats/README.md#brims)",
  ],
  [
    "packages/hats/README.md",
    "`src/brim.ts`, `src/*-brim.ts`, [page](../../docs/hats.md), [site](https://example.com/x)",
  ],
  [
    "docs/hats.md",
    "`src/brim.ts` of a service, `wide-brim.ts`, `x.test.ts`, `POST /api/{uuid}`, `hats/brims`, `tools/list`",
  ],
])("%s has no lost path in %s", (path, text) => {
  expect(lost(path, text)).toEqual([]);
});

test("paths that name nothing are found, with their lines", () => {
  const text = "Hats:\n`packages/hats/src/brims.ts`, `rim.ts` and `src/*-crown.ts`, see [page](hat.md)";
  expect(findLostPaths({ path: "packages/hats/README.md", text }, files)).toEqual([
    { document: "packages/hats/README.md", line: 2, path: "packages/hats/src/brims.ts" },
    { document: "packages/hats/README.md", line: 2, path: "rim.ts" },
    { document: "packages/hats/README.md", line: 2, path: "src/*-crown.ts" },
    { document: "packages/hats/README.md", line: 2, path: "hat.md" },
  ]);
});

test("a package or service that a page does not name is found", () => {
  const tree = ["packages/hats/src/index.ts", "packages/caps/src/index.ts", "services/shop/src/main.ts", "README.md"];
  expect(findUnlisted("`packages/hats`, `shop`", tree)).toEqual(["packages/caps"]);
});

test("a package or service without a README is found", () => {
  const tree = [
    "packages/hats/README.md",
    "packages/hats/src/index.ts",
    "packages/caps/src/README.md",
    "packages/caps/src/index.ts",
    "tools/x/a.ts",
  ];
  expect(findUndescribed(tree)).toEqual(["packages/caps"]);
});
