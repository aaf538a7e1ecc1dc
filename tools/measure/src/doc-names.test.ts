import { expect, test } from "vitest";
import { findUnknownNames, readKnownNames } from "./doc-names.ts";

const tree = [
  { path: "cli/operations.json", text: '[{ "name": "svc_list_hats" }]' },
  { path: "package.json", text: '{ "scripts": { "test:unit": "vitest" } }' },
];
const known = readKnownNames(tree, "cli/operations.json");
const unknown = (text: string) => findUnknownNames({ path: "docs/hats.md", text }, known).map(({ name }) => name);

test("operations and scripts that exist are known, as are the commands of pnpm and the forms of a credential", () => {
  expect(unknown("`svc_list_hats`, `pnpm test:unit hats`, `pnpm exec vitest`, `svc_live`, svc_live_abc")).toEqual([]);
});

test("a removed operation or script is reported once", () => {
  expect(unknown("`svc_list_caps` and `svc_list_caps`; run `pnpm caps` with `pnpm test`")).toEqual([
    "svc_list_caps",
    "pnpm caps",
    "pnpm test",
  ]);
});
