import { randomBytes } from "node:crypto";
import { type ServiceName, serviceNames, settingPrefix } from "@gatehouse/trust";
import { createTestTrust } from "@gatehouse/trust/testing";
import { describe, expect, test } from "vitest";
import { environmentOf } from "../src/config.ts";
import { loadPrograms } from "../src/programs.ts";
import { refuseUnknown } from "../src/refuse-unknown.ts";

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
 * Names and paths, for which each mistake could be valid. An invalid host fails when the port is opened.
 */
const freeText = new Set(["SERVICE_NAME", "HOST", "OPS_HOST", "SPILL_FOLDER", "LOGBOOK_DATA_FOLDER", "ADMIN_KEY_FILE"]);

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

/** Problems of a service of a set whose environment also has the given settings. */
async function problemsOf(name: ServiceName, own: Readonly<Record<string, string>>): Promise<string | undefined> {
  const env = (service: string) => environmentOf(service, { ...trust.env(name), ...settings, ...own });
  const [program] = await refuseUnknown(await loadPrograms(new Set([name])), env);
  return refusalOf(() => program?.load(env(name)));
}

describe.each(serviceNames)("a setting with the prefix of %s", (name) => {
  const prefix = `${settingPrefix(name)}__`;

  test("is refused if no service reads it, together with the other problems", async () => {
    expect(await problemsOf(name, { [`${prefix}LOG_LEVEL`]: "info" })).toBeUndefined();
    const problems = await problemsOf(name, { [`${prefix}PROT`]: "8080", LOG_LEVEL: "x" });
    expect(problems).toContain(`${prefix}PROT is no setting`);
    expect(problems).toContain("LOG_LEVEL must be one of");
  });

  test("is refused if OpenTelemetry's SDK reads it for the whole process", async () => {
    const collector = { [`${prefix}OTEL_EXPORTER_OTLP_ENDPOINT`]: "http://127.0.0.1:1" };
    expect(await problemsOf(name, collector)).toContain("set OTEL_EXPORTER_OTLP_ENDPOINT");
  });
});

test.each<[string, ServiceName, Readonly<Record<string, string>>]>([
  ["a setting of another service", "guardrail", { GUARDRAIL__SPILL_FOLDER: "x", GUARDRAIL__OPS_PORT: "1" }],
  ["the former name of a setting", "webhook-dispatcher", { WEBHOOK_DISPATCHER__WEBHOOK_LANE_WIDTH: "3" }],
  ["a referenced secret", "chat", { CHAT__GATEHOUSE_SECRET_KEY: "x" }],
  ["a file of a secret", "chat", { CHAT__NATS_URL_FILE: import.meta.filename, CHAT__NATS_URL: "" }],
])("%s with a service's prefix is no misspelling", async (_, name, own) => {
  expect((await problemsOf(name, own)) ?? "").not.toContain("is no setting");
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
