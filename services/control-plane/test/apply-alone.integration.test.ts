import { type OpenDatabase, openDatabase } from "@gatehouse/database";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApplyAlone } from "../src/store/apply-alone.ts";

let server: TestDatabase;
let one: OpenDatabase;
let other: OpenDatabase;

beforeAll(async () => {
  server = await createTestDatabase();
  const { log } = createSilentTelemetry();
  const open = () => openDatabase({ url: new Secret(server.url), schema: "service", connectionsMax: 2, log });
  [one, other] = [open(), open()];
});

afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await server.drop();
});

/** Attempts, of which many find the lock held if Postgres releases it only once it has noticed the end of a connection. */
const attempts = 30;

test.each([
  ["is refused", () => Promise.reject(invalidArgument("no"))],
  ["fails", () => Promise.reject(new TypeError("a fault"))],
  [
    "throws at once",
    () => {
      throw new Error("at once");
    },
  ],
  ["succeeds", () => Promise.resolve("made")],
])("an application that %s has released its lock when it is answered, for every replica", async (_how, work) => {
  const [applyHere, applyThere] = [createApplyAlone(one), createApplyAlone(other)];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await applyHere<string>(work).catch(() => undefined);
    expect(await applyThere(async () => await Promise.resolve(attempt))).toBe(attempt);
  }
});

test("an application that is refused as busy leaves the lock to the other, and takes it afterwards", async () => {
  const [applyHere, applyThere] = [createApplyAlone(one), createApplyAlone(other)];
  const refused = await applyHere(async () => await applyThere(() => Promise.resolve()).catch((err: unknown) => err));
  expect(refused).toBeInstanceOf(GatewayError);
  expect(refused).toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^Another document is being applied/) as string,
  });
  expect(await applyThere(() => Promise.resolve("mine"))).toBe("mine");
});

test("an application whose connection is lost returns its result, and no longer holds the lock", async () => {
  const [applyHere, applyThere] = [createApplyAlone(one), createApplyAlone(other)];
  const result = await applyHere(async () => {
    await other.pool.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
    );
    return await Promise.resolve("made");
  });
  expect(result).toBe("made");
  expect(await applyThere(() => Promise.resolve("next"))).toBe("next");
});
