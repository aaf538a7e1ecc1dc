import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "@gatehouse/config";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LogbookHarness, openHarness } from "./harness.ts";

let harness: LogbookHarness;
let folder: string;
beforeAll(async () => {
  harness = await openHarness();
  folder = await mkdtemp(join(tmpdir(), "gatehouse-checkpoints-"));
});
afterAll(async () => {
  await harness.stop();
  await rm(folder, { recursive: true });
});

test("a data folder that cannot be written ends the start and names the setting; afterwards it is a notice", async () => {
  const file = join(folder, "a-file");
  await writeFile(file, "");
  const refused = await harness.startReplica({ dataFolder: file }).catch((err: unknown) => err);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(String(refused)).toContain(
    `LOGBOOK_DATA_FOLDER must be a folder that this process can write to: ${file} (EEXIST)`,
  );

  const dataFolder = join(folder, "later");
  const { service } = await harness.startReplica({ dataFolder });
  expect(await service.readiness()).toEqual({ ready: true, problems: [] });
  await rm(dataFolder, { recursive: true });
  await writeFile(dataFolder, "");
  expect(await service.readiness()).toEqual({
    ready: true,
    problems: [`the checkpoint folder ${dataFolder} cannot be written (EEXIST)`],
  });
});
