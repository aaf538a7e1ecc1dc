import { expect, test } from "vitest";
import { breachesOf, manifest } from "../testing/in-memory-repository.ts";

const chat = (fields: Readonly<Record<string, unknown>>) => ({
  "services/chat/package.json": manifest("@x/chat", fields),
});

test.each(["pino", "pino/file", "@x/errors"])("a built file may not import %s undeclared", (specifier) => {
  const found = breachesOf("declared-dependency", {
    "services/chat/src/a.ts": `import type { A } from "${specifier}";`,
  });
  expect(found).toEqual([`services/chat/src/a.ts:1 ${specifier.replace("/file", "")} is not declared by @x/chat`]);
});

test("a dev dependency serves tests, configuration and scripts, and no built file", () => {
  const found = breachesOf("declared-dependency", {
    ...chat({ devDependencies: { pg: "1" } }),
    "services/chat/src/a.ts": `import "pg";`,
    "services/chat/src/a.test.ts": `import "pg";`,
    "services/chat/test/b.ts": `import "pg";`,
    "services/chat/prisma.config.ts": `import "pg";`,
    "services/chat/train/main.ts": `import "pg";`,
  });
  expect(found).toEqual(["services/chat/src/a.ts:1 pg is a dev dependency, but this file is built"]);
});

test("dependencies of the root may be imported by tests, and not by built files", () => {
  const found = breachesOf("declared-dependency", {
    "services/chat/src/a.ts": `import "vitest";`,
    "services/chat/src/a.test.ts": `import "vitest";`,
  });
  expect(found).toEqual(["services/chat/src/a.ts:1 vitest is not declared by @x/chat"]);
});

test("Node's own modules, a package's own name and optional dependencies need no declaration beside", () => {
  const found = breachesOf("declared-dependency", {
    ...chat({ optionalDependencies: { fast: "1" }, dependencies: { "@s/n": "1" } }),
    "services/chat/src/a.ts": `import "node:fs"; import "fs"; import "@x/chat"; import "fast"; import "@s/n/sub";`,
  });
  expect(found).toEqual([]);
});

test("a declared dependency that no file imports is reported at its line", () => {
  const found = breachesOf("used-dependency", {
    ...chat({
      dependencies: { "@x/errors": "1", pino: "1" },
      devDependencies: { tsx: "1", esbuild: "1", "@types/pino": "1" },
      scripts: { build: "tsx build.ts" },
    }),
    "services/chat/src/a.ts": `import "pino";`,
    "services/chat/src/a.test.ts": `import "vitest";`,
  });
  expect(found).toEqual([
    "services/chat/package.json:7 @x/errors is declared, but nothing imports it",
    "services/chat/package.json:12 esbuild is declared, but nothing imports it",
  ]);
});

test("an import in another workspace counts only for dependencies of the root", () => {
  const found = breachesOf("used-dependency", {
    ...chat({ dependencies: { pino: "1" } }),
    "services/router/src/a.ts": `import "pino";`,
    "services/router/src/a.test.ts": `import "vitest";`,
  });
  expect(found).toEqual(["services/chat/package.json:7 pino is declared, but nothing imports it"]);
});
