import { expect, test } from "vitest";
import { buildRepository } from "../repository.ts";
import { fileOf, breachesOf } from "../testing/in-memory-repository.ts";

// Joined at run time, so that this file has no traces of a machine.
const pathOf = (...names: string[]) => `/${names.join("/")}/a.ts`;
const registryHost = ["registry", "npmjs", "org"].join(".");

test("the environment is read in config, main, tests and tools only", () => {
  const text = "\nprocess.env.A;";
  const found = breachesOf("environment-in-config", {
    "tools/lint/package.json": `{ "name": "@x/lint" }`,
    "tools/lint/src/a.ts": text,
    "services/chat/src/main.ts": text,
    "services/chat/src/config.ts": text,
    "services/chat/src/a.test.ts": text,
    "services/chat/prisma.config.ts": text,
    "services/chat/src/domain/config.ts": text,
    "services/chat/src/app.ts": text,
    "packages/errors/src/a.ts": text,
  });
  expect(found.toSorted()).toEqual([
    "packages/errors/src/a.ts:2 reads process.env",
    "services/chat/src/app.ts:2 reads process.env",
    "services/chat/src/domain/config.ts:2 reads process.env",
  ]);
});

test.each(["src/eventStream.ts", "src/EventStream.tsx", "src/event_stream.ts", "src/Domain/a.ts", "src/a--b.ts"])(
  "%s is not kebab-case",
  (path) => {
    expect(breachesOf("kebab-case", { [path]: "" })).toHaveLength(1);
  },
);

test.each(["src/event-stream.ts", "a/test/x.integration.test.ts", "src/oauth2.d.ts", "README.md", ".ci/run.mjs"])(
  "%s is named well",
  (path) => {
    expect(breachesOf("kebab-case", { [path]: "" })).toEqual([]);
  },
);

test.each(["src/utils.ts", "src/string-utils.ts", "src/helpers/a.ts", "src/common.test.ts", "src/session-manager.ts"])(
  "%s says nothing of its job",
  (path) => {
    expect(breachesOf("telling-name", { [path]: "" })).toHaveLength(1);
  },
);

test("a name that only contains such a word is fine", () => {
  expect(breachesOf("telling-name", { "src/uncommon.ts": "", "src/management.ts": "" })).toEqual([]);
});

test.each(["proto/gen/a.ts", "services/chat/src/generated/prisma/client.ts", "packages/a/dist/index.js"])(
  "%s is generated and not for git",
  (path) => {
    expect(breachesOf("generated-untracked", { [path]: "" })).toHaveLength(1);
  },
);

test("a file over a megabyte is refused, one of a megabyte is not", () => {
  const repository = buildRepository([fileOf("a.bin", undefined, 1_000_001), fileOf("b.bin", undefined, 1_000_000)]);
  expect(breachesOf("file-size", repository)).toEqual(["a.bin:1 1.0 MB are too much for git"]);
});

test.each([
  ["docs/a.md", `Open ${pathOf("home", "ana", "code")}.`],
  ["a.ts", `const a = "${pathOf("work", "main")}";`],
  ["a.yaml", `path: ${pathOf("Users", "ana")}`],
  ["a.sh", `cd ${pathOf("root", "x")}`],
  ["a.md", ["C:", "Users", "ana"].join("\\")],
  ["a.md", `https://${registryHost}/left-pad`],
  [".npmrc", ["registry", "https://npm.example.test"].join("=")],
  ["pnpm-lock.yaml", "resolution: {tarball: http://127.0.0.1:4873/a.tgz}"],
])("%s holds a trace of a machine: %s", (path, text) => {
  expect(breachesOf("no-machine-traces", { [path]: `\n${text}\n` })).toHaveLength(1);
});

test.each([
  ["Dockerfile", "WORKDIR /home/node/app"],
  ["a.ts", `const a = "../work/main"; get("/api/work/x"); "https://host.test/home/ana/x"; "/workspace/x"`],
  ["pnpm-lock.yaml", "resolution: {integrity: sha512-abc}"],
  ["a.md", "Any registry will do; see https://example.test."],
])("%s holds no trace of a machine: %s", (path, text) => {
  expect(breachesOf("no-machine-traces", { [path]: text })).toEqual([]);
});

test("a file that does not parse is reported", () => {
  expect(breachesOf("parses", { "src/a.ts": "const = ;" })).toHaveLength(1);
});
