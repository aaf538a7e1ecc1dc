import process from "node:process";
import { afterEach, expect, test } from "vitest";
import { LinkError, type WorkerStart } from "./process-link.ts";
import { WorkerProcess } from "./worker-process.ts";

const { execPath } = process;
afterEach(() => (process.execPath = execPath));

test("a process that the system does not give is a failed start, and has ended", async () => {
  process.execPath = "/nowhere/node";
  const worker = new WorkerProcess();
  const failure = await worker.start({} as WorkerStart, undefined).catch((err: unknown) => err);
  expect(failure).toBeInstanceOf(LinkError);
  expect(failure).toMatchObject({ message: expect.stringContaining("ENOENT") });
  await worker.stop(0);
  await expect(worker.ended).resolves.toContain("ENOENT");
});
