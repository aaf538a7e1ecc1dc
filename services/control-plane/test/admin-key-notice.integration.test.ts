import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintAdminKey } from "@gatehouse/principal";
import { createSilentTelemetry, type Logger } from "@gatehouse/telemetry";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createAdminKeyNotice } from "../src/admin-key-notice.ts";

let folder: string;
const logged: string[] = [];
const log = {
  ...createSilentTelemetry().log,
  warn: (...args: unknown[]) => void logged.push(JSON.stringify(args)),
  error: (...args: unknown[]) => void logged.push(JSON.stringify(args)),
} as unknown as Logger;

beforeEach(async () => {
  logged.length = 0;
  folder = await mkdtemp(join(tmpdir(), "gatehouse-notice-"));
});
afterEach(async () => await rm(folder, { recursive: true }));

test("a terminal is shown the key, and no file is made", async () => {
  const key = mintAdminKey();
  const shown: string[] = [];
  const file = join(folder, "key");
  createAdminKeyNotice({ write: (text) => shown.push(text) }, file, log)(key);
  expect(shown.join("")).toContain(key.reveal());
  await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
});

test("without a terminal the key is in a file for this user alone, and not in the log", async () => {
  const key = mintAdminKey();
  const file = join(folder, "key");
  await writeFile(file, "an older one", { mode: 0o644 });
  createAdminKeyNotice(undefined, file, log)(key);
  expect(await readFile(file, "utf8")).toBe(`${key.reveal()}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(logged.join("")).toContain(file);
  expect(logged.join("")).not.toContain(key.reveal());
});

test("the log has advice, without the key, when no file can be written", () => {
  const key = mintAdminKey();
  createAdminKeyNotice(undefined, join(folder, "none", "key"), log)(key);
  expect(logged.join("")).toContain("Set GATEHOUSE_ADMIN_KEY");
  expect(logged.join("")).not.toContain(key.reveal());
});
