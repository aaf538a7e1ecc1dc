import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFolder } from "../src/make-folder.ts";

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "gatehouse-folders-"))));
afterAll(async () => await rm(folder, { recursive: true }));

test("missing parents are created with the mode, and a folder that exists is left as it is", async () => {
  const path = join(folder, "a", "b", "c");
  await makeFolder(path, 0o700);
  await makeFolder(path, 0o711);
  for (const made of [join(folder, "a"), path]) expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test("a file in the way is an error", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  await expect(makeFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolder(join(file, "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

test.runIf(existsSync("/proc/self"))(
  "a place where the system creates nothing is an error, and does not hang",
  async () => {
    await expect(makeFolder("/proc/gatehouse")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(makeFolder("/proc/gatehouse/below")).rejects.toMatchObject({ code: "ENOENT" });
  },
);
