import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type ConfigError, EnvReader } from "./env-reader.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const path = join(folder, `secret-${text.length}`);
  writeFileSync(path, text);
  return path;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  const reader = new EnvReader(env);
  reader.requiredSecret("KEY", "made by hand");
  try {
    reader.finish();
    return [];
  } catch (err) {
    return (err as ConfigError).problems;
  }
}

test("a secret can be read from a file, without surrounding white space", () => {
  const reader = new EnvReader({ KEY_FILE: fileWith("hunter2\n") });
  expect(reader.requiredSecret("KEY", "made by hand").reveal()).toBe("hunter2");
  reader.finish();
});

test("a missing or empty file, or one given beside the variable, is a problem that shows no secret", () => {
  expect(problemsOf({ KEY_FILE: join(folder, "absent") })).toEqual([
    "KEY_FILE names a file that cannot be read (ENOENT).",
  ]);
  expect(problemsOf({ KEY_FILE: fileWith("  ") })).toEqual(["KEY_FILE names a file that is empty."]);
  const both = problemsOf({ KEY: "hunter3", KEY_FILE: fileWith("hunter2\n") });
  expect(both).toEqual(["KEY and KEY_FILE are both set; remove one."]);
  expect(problemsOf({})).toEqual(["KEY is required: made by hand."]);
});
