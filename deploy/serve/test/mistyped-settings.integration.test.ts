import { randomBytes } from "node:crypto";
import { serviceNames } from "@gatehouse/trust";
import { createTestTrust } from "@gatehouse/trust/testing";
import { describe, expect, test } from "vitest";
import { loadPrograms } from "../src/programs.ts";

const trust = createTestTrust();

/** Enough for every service to start. */
const settings: Readonly<Record<string, string>> = {
  HOST: "127.0.0.1",
  DATABASE_URL: "postgres://user:password@127.0.0.1:5432/gatehouse",
  GATEHOUSE_KEYRING: `k1:${randomBytes(32).toString("base64")}`,
  AUDIT_CHECKPOINT_KEY: randomBytes(32).toString("base64url"),
  CONTROL_PLANE_URL: "http://127.0.0.1:1",
  CHAT_URL: "http://127.0.0.1:1",
};

/** Mistakes of an operator; each setting that is not free text refuses at least one. */
const mistakes = ["not a value \u0001", "-1", "x"];

/**
 * Names and paths, for which each mistake could be valid. An invalid host fails when the port is opened, and an unreadable file
 * is reported by `/readyz`.
 */
const freeText = new Set([
  "SERVICE_NAME",
  "HOST",
  "OPS_HOST",
  "CONSOLE_FOLDER",
  "SPILL_FOLDER",
  "LOGBOOK_DATA_FOLDER",
  "ADMIN_KEY_FILE",
  "NATS_CA_FILE",
  "NATS_CREDENTIALS_FILE",
]);

/** Certificate, key and authorities are invalid together, and a message may name any of them. */
const namesOf = (setting: string) => (setting.startsWith("GATEHOUSE_TLS_") ? "GATEHOUSE_TLS_" : setting);

describe.each(serviceNames)("a mistyped setting of %s", (name) => {
  test("ends the start with words that name it", { timeout: 30_000 }, async () => {
    const [program] = await loadPrograms(new Set([name]));
    const base: Readonly<Record<string, string>> = { ...trust.env(name), ...settings };
    const read = settingsReadBy((env) => program?.load(env));
    expect(read.size).toBeGreaterThan(20);
    const accepted: string[] = [];
    for (const setting of read) {
      const refusals = mistakes.map((mistake) => refusalOf(() => program?.load({ ...base, [setting]: mistake })));
      const refused = refusals.filter((text) => text !== undefined);
      if (refused.length === 0) accepted.push(setting);
      for (const text of refused) expect(text).toContain(namesOf(setting));
    }
    expect(accepted.filter((setting) => !freeText.has(setting))).toEqual([]);
  });
});

test.each(serviceNames)("%s does not pass over WORKERS, which would be taken for capacity", async (name) => {
  const [program] = await loadPrograms(new Set([name]));
  const load = (workers: string) =>
    refusalOf(() => program?.load({ ...trust.env(name), ...settings, WORKERS: workers }));
  expect(load("1")).toBeUndefined();
  for (const workers of ["2", "auto"]) expect(load(workers)).toContain("WORKERS is for npm start alone");
});

/** Names of the settings that a program reads from an empty environment. */
function settingsReadBy(load: (env: Readonly<Record<string, string>>) => unknown): ReadonlySet<string> {
  const read = new Set<string>();
  const watched = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, key) => {
        if (typeof key === "string") read.add(key);
        return undefined;
      },
    },
  );
  refusalOf(() => load(watched));
  return read;
}

function refusalOf(load: () => unknown): string | undefined {
  try {
    load();
    return undefined;
  } catch (err) {
    return err instanceof Error ? err.message : String(err);
  }
}
