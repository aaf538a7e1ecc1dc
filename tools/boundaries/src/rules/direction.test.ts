import { expect, test } from "vitest";
import { breachesOf } from "../testing/in-memory-repository.ts";

test.each([
  ["services/chat/src/app.ts", "@x/router", "a service imports the service @x/router"],
  ["services/chat/test/a.integration.test.ts", "@x/router", "a service imports the service @x/router"],
  ["packages/errors/src/a.ts", "@x/chat", "a package imports the service @x/chat"],
  ["packages/errors/src/a.test.ts", "@x/chat", "a package imports the service @x/chat"],
  ["packages/errors/src/a.ts", "@x/host", "a package imports the host @x/host"],
  ["packages/errors/src/a.ts", "@x/tool", "a package imports the tool @x/tool"],
  ["packages/errors/src/a.ts", "@x/e2e", "a package imports the proof @x/e2e"],
  ["services/chat/src/app.ts", "@x/tool", "a service imports the tool @x/tool"],
  ["proto/src/a.ts", "@x/errors", "a contract imports the package @x/errors"],
  ["tests/bench/src/a.ts", "@x/chat", "a harness imports the service @x/chat"],
  ["tools/lint/src/a.ts", "@x/chat", "a tool imports the service @x/chat"],
])("%s may not import %s", (path, specifier, problem) => {
  expect(breachesOf("workspace-direction", { ...kinds, [path]: `\nimport "${specifier}";` })).toEqual([
    `${path}:2 ${problem}`,
  ]);
});

test.each([
  ["services/chat/src/app.ts", "@x/errors"],
  ["services/chat/src/app.ts", "@x/proto"],
  ["services/chat/src/app.ts", "@x/chat"],
  ["services/chat/prisma.config.ts", "@x/tool"],
  ["packages/errors/src/a.ts", "@x/clock"],
  ["deploy/standalone/src/a.ts", "@x/chat"],
  ["tests/e2e/test/a.e2e.test.ts", "@x/chat"],
  ["tests/e2e/src/a.ts", "@x/host"],
  ["tests/bench/src/a.ts", "@x/host"],
])("%s may import %s", (path, specifier) => {
  expect(breachesOf("workspace-direction", { ...kinds, [path]: `import "${specifier}";` })).toEqual([]);
});

test.each(["import type { A } from", "export * from", "import"])("%s of another service is refused too", (form) => {
  const found = breachesOf("workspace-direction", { "services/chat/src/app.ts": `${form} "@x/router";` });
  expect(found).toHaveLength(1);
});

test.each([
  ["@x/errors/src/index.ts", false],
  ["@x/clock/internal", false],
  ["@x/clock", true],
  ["@x/clock/testing", true],
  ["@x/clock/icons/a", true],
  ["@x/clock/icons/", false],
])("only exports of a package can be imported: %s, %s", (specifier, isOpen) => {
  const found = breachesOf("entry-points-only", { "services/chat/src/app.ts": `import "${specifier}";` });
  expect(found).toHaveLength(isOpen ? 0 : 1);
});

test("a tool enters a service through its entries for tools, and nothing else does", () => {
  const files = {
    "services/router/package.json": `{ "name": "@x/router", "exports": { ".": "./a", "./training": "./b", "./operations": "./c" } }`,
    "deploy/standalone/package.json": `{ "name": "@x/host" }`,
    "deploy/standalone/src/a.ts": `import "@x/router/training";`,
    "tools/learn/package.json": `{ "name": "@x/learn" }`,
    "tools/learn/src/a.ts": `import "@x/router/training";\nimport "@x/router";\nimport "@x/router/operations";`,
  };
  expect(breachesOf("entry-points-only", files)).toEqual([
    `deploy/standalone/src/a.ts:1 "@x/router/training" is no entry point of @x/router`,
  ]);
  expect(breachesOf("workspace-direction", files)).toEqual([
    "tools/learn/src/a.ts:2 a tool imports the service @x/router",
  ]);
});

test("a service is entered through its root only, even where it exports more", () => {
  const found = breachesOf("entry-points-only", {
    "services/router/package.json": `{ "name": "@x/router", "exports": { ".": "./a", "./domain": "./b" } }`,
    "deploy/standalone/package.json": `{ "name": "@x/host" }`,
    "deploy/standalone/src/a.ts": `import "@x/router";\nimport "@x/router/domain";`,
  });
  expect(found).toEqual([`deploy/standalone/src/a.ts:2 "@x/router/domain" is no entry point of @x/router`]);
});

test.each([
  ["services/chat/src/a.ts", `import "../../router/src/app.ts";`],
  ["services/chat/src/a.ts", `const a = require("../../../packages/errors/src/a.ts");`],
  ["services/chat/test/a.ts", `new URL("../../../docs", import.meta.url);`],
  ["services/chat/src/a.ts", `import "/etc/a.ts";`],
  ["services/chat/src/a.ts", `import type { A } from "../../chat-two/src/a.ts";`],
  ["vitest.config.ts", `import "../a.ts";`],
])("%s leaves its workspace by %s", (path, text) => {
  expect(breachesOf("stays-inside", { [path]: text })).toHaveLength(1);
});

test.each([
  ["services/chat/src/domain/a.ts", `import "../../test/b.ts";`],
  ["vitest.config.ts", `import "./packages/errors/src/a.ts";`],
  ["tests/e2e/src/a.ts", `new URL("../../..", import.meta.url);`],
])("%s stays inside by %s", (path, text) => {
  expect(breachesOf("stays-inside", { "tests/e2e/package.json": `{ "name": "@x/e2e" }`, [path]: text })).toEqual([]);
});

test("built files may not import a test", () => {
  const found = breachesOf("no-development-imports", {
    "services/chat/src/a.ts": `import "./b.test.ts";\nimport "../test/c.ts";\nimport "./d.ts";`,
    "services/chat/src/b.test.ts": `import "./d.ts";`,
    "services/chat/src/d.ts": "",
    "services/chat/test/c.ts": `import "../src/b.test.ts";`,
  });
  expect(found).toEqual([
    "services/chat/src/a.ts:1 a built file imports src/b.test.ts, which is not built",
    "services/chat/src/a.ts:2 a built file imports test/c.ts, which is not built",
  ]);
});

const kinds = {
  "proto/package.json": `{ "name": "@x/proto", "exports": { ".": "./a" } }`,
  "tests/e2e/package.json": `{ "name": "@x/e2e" }`,
  "tests/bench/package.json": `{ "name": "@x/bench" }`,
  "deploy/standalone/package.json": `{ "name": "@x/host" }`,
  "tools/lint/package.json": `{ "name": "@x/tool" }`,
};
