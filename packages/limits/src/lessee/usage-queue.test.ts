import { createMutex } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { allowanceBounds } from "../decisions/bounds.ts";
import type { UsageRow } from "../decisions/usage-row.ts";
import { UsageQueue } from "./usage-queue.ts";

const { usageRowsInMemoryMax } = allowanceBounds;
const { log } = createSilentTelemetry();

/** A queue whose database is away, or fails with `err`, and a scripted disk. */
function openQueue(append: () => Promise<void>, err: Error = new GatewayError("unavailable", "The database is away.")) {
  const disk = { append, appends: 0, rejected: 0 };
  const spill = {
    rowCount: 0,
    async append() {
      disk.appends += 1;
      await disk.append();
    },
    async reject() {
      disk.rejected += 1;
    },
    async replay() {},
  };
  const fail = async () => await Promise.reject(err);
  const options = { store: { flush: fail }, spill, log, onFlushed: () => {}, exclusively: createMutex() };
  return { queue: new UsageQueue(options as unknown as ConstructorParameters<typeof UsageQueue>[0]), disk };
}

const row = { callId: "c", revision: 0 } as unknown as UsageRow;
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

test("a disk that fails is tried again only after a tenth of the bound, and not for each row", async () => {
  const { queue, disk } = openQueue(async () => await Promise.reject(new Error("ENOSPC")));
  for (let rows = 0; rows < 1.5 * usageRowsInMemoryMax; rows += 1) {
    const { appends } = disk;
    queue.add(row);
    if (disk.appends > appends) await settled();
  }
  expect(queue.rowsInMemory).toBe(1.5 * usageRowsInMemoryMax);
  expect(disk.appends).toBeLessThanOrEqual(6);
  disk.append = async () => {};
  await queue.spillAll();
  expect(queue.rowsInMemory).toBe(0);
});

test("a disk that works again is found by the next flush, also when no further call has room", async () => {
  const { queue, disk } = openQueue(async () => await Promise.reject(new Error("ENOSPC")));
  while (queue.hasRoom) {
    queue.add(row);
    await Promise.resolve();
  }
  await settled();
  disk.append = async () => {};
  await expect(queue.flush()).rejects.toThrow("The database is away.");
  await settled();
  expect(queue.hasRoom).toBe(true);
});

const errorOf = (code: string) => Object.assign(new Error("m"), { code });

test.each([
  ["a full disk", errorOf("53100")],
  ["an internal error of the server", errorOf("XX000")],
  ["a damaged page", errorOf("XX001")],
  ["a missing right", errorOf("42501")],
  ["a missing table", errorOf("42P01")],
  ["an expired certificate", errorOf("CERT_HAS_EXPIRED")],
  ["a missing password, which pg reports without a code", new Error("client password must be a string")],
])("rows wait for the end of %s", async (_name, err) => {
  const { queue, disk } = openQueue(async () => {}, err);
  for (let rows = 0; rows < 3; rows += 1) queue.add(row);
  await expect(queue.flush()).rejects.toBe(err);
  expect({ rejected: disk.rejected, waiting: queue.rowsInMemory }).toEqual({ rejected: 0, waiting: 3 });
});

test.each([
  ["that the database refuses", errorOf("22P02")],
  ["on which our own code fails", Object.assign(new TypeError("m"), { code: "ERR_INVALID_ARG_TYPE" })],
])("rows %s are set aside", async (_name, err) => {
  const { queue, disk } = openQueue(async () => {}, err);
  for (let rows = 0; rows < 3; rows += 1) queue.add(row);
  await queue.flush();
  expect({ rejected: disk.rejected, waiting: queue.rowsInMemory }).toEqual({ rejected: 3, waiting: 0 });
});

test("moving all rows to disk waits for moves in progress", async () => {
  const gate = Promise.withResolvers<void>();
  const { queue } = openQueue(async () => await gate.promise);
  queue.add(row);
  const first = queue.spillAll();
  const order: string[] = [];
  const second = queue.spillAll().then(() => order.push("second"));
  await settled();
  order.push("written");
  gate.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(["written", "second"]);
});
