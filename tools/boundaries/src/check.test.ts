import { expect, test } from "vitest";
import { checkRepository, reportOf } from "./check.ts";
import { buildRepository } from "./repository.ts";
import { manifest, repositoryOf } from "./testing/in-memory-repository.ts";

const clean = {
  "package.json": manifest("root"),
  "services/chat/package.json": manifest("@x/chat", { dependencies: { "@x/errors": "1" } }),
  "services/chat/src/app.ts": `import "@x/errors";`,
};

test("a repository that keeps the rules gives one line and exit code 0", () => {
  expect(reportOf(checkRepository(repositoryOf(clean)))).toEqual({
    lines: ["1 files, 1 imports checked"],
    exitCode: 0,
  });
});

test("a broken rule is printed with place, rule and fix, and gives exit code 1", () => {
  const { lines, exitCode } = reportOf(
    checkRepository(repositoryOf({ ...clean, "services/chat/src/domain/a.ts": `\nimport "../store/b.ts";` })),
  );
  expect(exitCode).toBe(1);
  expect(lines[0]).toBe(
    "services/chat/src/domain/a.ts:2  service-layers  domain imports store: ../store/b.ts\n    A domain takes values; let the caller pass what it needs.",
  );
  expect(lines.at(-1)).toBe("1 breaches; 2 files, 2 imports checked");
});

test.each([
  ["no files", {}],
  ["no sources", { "README.md": "Hello." }],
  ["sources without an import", { "package.json": manifest("root"), "a.ts": "export const a = 1;" }],
  ["sources outside every workspace", { "a.ts": `import "b";` }],
])("a check that looked at nothing fails: %s", (_name, texts) => {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text, sizeBytes: 1 }));
  const { lines, exitCode } = reportOf(checkRepository(buildRepository(files)));
  expect(exitCode).toBe(1);
  expect(lines[0]).toContain("Nothing was checked");
});
