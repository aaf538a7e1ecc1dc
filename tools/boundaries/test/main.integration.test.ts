import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "boundaries-"));
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function run() {
  const { status, stdout } = spawnSync(process.execPath, [main], { cwd: folder, encoding: "utf8" });
  return { status, stdout };
}

test("a folder without sources fails", () => {
  expect(run()).toEqual({
    status: 1,
    stdout: "Nothing was checked: 0 files, 0 imports checked. Run this in the repository's root.\n",
  });
});

test("a good repository passes, and a file that is not added yet is looked at", () => {
  write("package.json", `{ "name": "root" }`);
  write("services/chat/package.json", `{ "name": "chat" }`);
  write("services/chat/src/app.ts", `import "node:fs";`);
  expect(run()).toEqual({ status: 0, stdout: "1 files, 1 imports checked\n" });
  write("services/chat/src/domain/clock.ts", `import "node:fs";`);
  const { status, stdout } = run();
  expect(status).toBe(1);
  expect(stdout).toContain("services/chat/src/domain/clock.ts:1  pure-domain  a domain file imports node:fs");
});

test("an ignored file counts only when it was added all the same, and a deleted one not at all", () => {
  write("package.json", `{ "name": "root" }`);
  write(".gitignore", "gen/\n");
  write("a.ts", `import "node:fs";`);
  write("gen/b.ts", `import "node:fs";`);
  write("deleted.ts", `import "node:fs";`);
  execFileSync("git", ["add", "."], { cwd: folder });
  rmSync(join(folder, "deleted.ts"));
  expect(run()).toEqual({ status: 0, stdout: "1 files, 1 imports checked\n" });
  execFileSync("git", ["add", "--force", "gen/b.ts"], { cwd: folder });
  expect(run().stdout).toContain("gen/b.ts:1  generated-untracked");
});

test("binary files are skipped", () => {
  write("package.json", `{ "name": "root" }`);
  write("a.ts", `import "node:fs";`);
  writeFileSync(join(folder, "b.ts"), Buffer.from([0, 1, 2]));
  expect(run()).toEqual({ status: 0, stdout: "1 files, 1 imports checked\n" });
});
