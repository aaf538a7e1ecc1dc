import { randomUUID } from "node:crypto";
import type { AuditEvent } from "@gatehouse/audit";
import { openDatabase } from "@gatehouse/database";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGuardrail, type StartedGuardrail } from "./start-guardrail.ts";

let database: TestDatabase;
let first: StartedGuardrail;
let second: StartedGuardrail;

beforeAll(async () => {
  database = await createTestDatabase();
  [first, second] = await Promise.all([startGuardrail(database), startGuardrail(database)]);
});

afterAll(async () => {
  await first.service.stop();
  await second.service.stop();
  await database.drop();
});

function newOwner() {
  const [projectUuid, endpointUuid] = [randomUUID(), randomUUID()];
  return {
    projectUuid,
    endpointUuid,
    within: { id: 7, uuid: projectUuid, name: "Shop" },
    project: { project: projectUuid },
    endpoint: { endpoint: endpointUuid },
  };
}

type Owner = ReturnType<typeof newOwner>;

async function inspect(replica: StartedGuardrail, { projectUuid, endpointUuid }: Owner, text: string) {
  const texts = [{ role: "user", text }];
  return await replica.guardrail.inspect({ projectUuid, endpointUuid, side: "SIDE_INPUT", texts });
}

type Named = Owner["project"] | Owner["endpoint"];

async function set(replica: StartedGuardrail, input: object, { within }: Pick<Owner, "within">) {
  return await replica.admin.call("svc_set_guardrails", { ...input }, within);
}

async function get(replica: StartedGuardrail, named: Named, { within }: Pick<Owner, "within">) {
  return await replica.admin.call("svc_get_guardrails", named, within);
}

test("the answer without a policy says so and does not block", async () => {
  expect(await inspect(first, newOwner(), "ann@example.com")).toMatchObject({ policyAbsent: true, blocked: false });
});

test("a policy saved by one replica is in force on the other within 250 ms", async () => {
  const owner = newOwner();
  expect((await inspect(second, owner, "falcon")).policyAbsent).toBe(true);
  await set(first, { ...owner.project, keywords: ["falcon"], on_unavailable: "open" }, owner);
  const changedAt = performance.now();
  await expect.poll(async () => (await inspect(second, owner, "falcon")).blocked, { interval: 2 }).toBe(true);
  expect(performance.now() - changedAt).toBeLessThan(250);
  expect(await inspect(first, owner, "a falcon")).toMatchObject({
    policyAbsent: false,
    blocked: true,
    reason: "keyword",
    message: "Request blocked: keyword 'falcon' detected in input.",
    findings: [{ detector: "keyword", label: "falcon", start: 2, end: 8, textIndex: 0 }],
    outputCheck: "OUTPUT_CHECK_UNSPECIFIED",
    failsOpen: true,
  });
});

test("an endpoint's policy adds to its project's, after a change of either", async () => {
  const owner = newOwner();
  const judged = async () =>
    await Promise.all(["falcon", "eagle", "crow"].map(async (text) => (await inspect(first, owner, text)).blocked));
  await set(first, { ...owner.project, keywords: ["falcon"] }, owner);
  await set(first, { ...owner.endpoint, keywords: ["eagle"] }, owner);
  await expect.poll(judged).toEqual([true, true, false]);
  await set(first, { ...owner.project, keywords: ["crow"] }, owner);
  await expect.poll(judged).toEqual([false, true, true]);
  expect(await get(first, owner.endpoint, owner)).toMatchObject({
    project: owner.projectUuid,
    endpoint: owner.endpointUuid,
    source: "both",
    keywords: ["crow", "eagle"],
    max_content_length: null,
    own: { keywords: ["eagle"] },
    updated_at: expect.any(String) as string,
  });
  const tried = await first.admin.call("svc_test_guardrails", { ...owner.endpoint, text: "crow" }, owner.within);
  expect(tried).toMatchObject({ blocked: true });
});

test("only a policy that is set to replace does so, until it is cleared", async () => {
  const owner = newOwner();
  await set(first, { ...owner.project, keywords: ["falcon"] }, owner);
  expect(await set(first, { ...owner.endpoint, replace: true }, owner)).toMatchObject({
    warning: expect.stringContaining("which is stricter about: keywords.") as string,
  });
  expect(
    await set(first, { ...owner.endpoint, keywords: ["Eagle", "falcon"], replace: true }, owner),
  ).not.toHaveProperty("warning");
  await set(first, { ...owner.endpoint, replace: true }, owner);
  expect(await inspect(first, owner, "falcon")).toMatchObject({ blocked: false, policyAbsent: false });
  await expect(set(first, { ...owner.project, replace: true }, owner)).rejects.toMatchObject({
    code: "invalid_argument",
  });
  await expect(set(first, { ...owner.endpoint, clear: true, keywords: ["a"] }, owner)).rejects.toThrow(
    "clear cannot be sent together with keywords.",
  );
  expect(await set(first, { ...owner.endpoint, clear: true }, owner)).toMatchObject({ source: "project", own: null });
  expect((await inspect(first, owner, "falcon")).blocked).toBe(true);
});

test.each([
  [{ pii: { mode: "block" } }, "OUTPUT_CHECK_UNSPECIFIED"],
  [{ pii: { mode: "block" }, apply_to_output: true }, "OUTPUT_CHECK_BEFORE_REPLY"],
  [{ pii: { mode: "mask" }, apply_to_output: true }, "OUTPUT_CHECK_BEFORE_REPLY"],
  [{ keywords: ["a"], apply_to_output: true }, "OUTPUT_CHECK_BEFORE_REPLY"],
  [{ patterns: [{ pattern: "a" }], apply_to_output: true }, "OUTPUT_CHECK_BEFORE_REPLY"],
  [{ patterns: [{ pattern: "a", mode: "log" }], apply_to_output: true }, "OUTPUT_CHECK_AFTER_REPLY"],
  [{ pii: { mode: "log" }, apply_to_output: true }, "OUTPUT_CHECK_AFTER_REPLY"],
  [{ prompt_injection: { mode: "block" }, apply_to_output: true }, "OUTPUT_CHECK_UNSPECIFIED"],
])("the output check of the policy %j is %s", async (policy, outputCheck) => {
  const owner = newOwner();
  await set(first, { ...owner.project, ...policy }, owner);
  expect(await inspect(first, owner, "hello")).toMatchObject({ outputCheck });
});

test("masked texts are returned in order, and only if something was masked", async () => {
  const owner = newOwner();
  await set(first, { ...owner.project, pii: { mode: "mask" } }, owner);
  const texts = ["plain", "to ann@example.com"].map((text) => ({ role: "user", text }));
  const masked = await first.guardrail.inspect({ projectUuid: owner.projectUuid, side: "SIDE_INPUT", texts });
  expect(masked.maskedTexts).toEqual(["plain", "to [E-Mail]"]);
  expect((await inspect(first, owner, "plain")).maskedTexts).toEqual([]);
});

test("a text with very many findings gets a bounded answer", async () => {
  const owner = newOwner();
  await set(first, { ...owner.project, pii: { mode: "mask" } }, owner);
  const { findings, maskedTexts } = await inspect(first, owner, "ann@example.com ".repeat(2_000));
  expect(findings).toHaveLength(1_000);
  expect(maskedTexts[0]).not.toContain("@");
});

test.each([
  [{ keywords: ["ok", 7] }, "keywords[1] must be a string."],
  [{ keywords: ["ok", "\0"] }, "keywords[1] must not have NUL characters or unpaired surrogates."],
  [{ patterns: [{ pattern: "(" }] }, "patterns[0].pattern is not valid RE2 syntax"],
  [{ patterns: [{ pattern: "a", name: "\ud800" }] }, "patterns[0].name must not have NUL characters or unpaired"],
  [{ keyword: ["a"] }, "Unknown argument: keyword. Did you mean 'keywords'?"],
])("the policy %j is refused when it is saved, and nothing is kept", async (policy, problem) => {
  const owner = newOwner();
  const refused = set(first, { ...owner.project, ...policy }, owner);
  await expect(refused).rejects.toMatchObject({ code: "invalid_argument", message: expect.stringContaining(problem) });
  expect(await get(first, owner.project, owner)).toMatchObject({ source: null, own: null, updated_at: null });
});

test("a question without a side is refused, and a policy without exactly one owner", async () => {
  const owner = newOwner();
  const { projectUuid, endpointUuid } = owner;
  await set(first, { ...owner.project, keywords: ["x"] }, owner);
  const sideless = first.guardrail.inspect({ projectUuid, endpointUuid, texts: [] });
  await expect(sideless).rejects.toMatchObject({ code: "invalid_argument" });
  const call = async (input: object) => await first.admin.call("svc_get_guardrails", { ...input }, owner.within);
  await expect(call({})).rejects.toThrow("Missing required argument: project or endpoint");
  await expect(call({ ...owner.project, ...owner.endpoint })).rejects.toThrow(
    "Send either project or endpoint, not both.",
  );
  await expect(call({ endpoint: "x" })).rejects.toThrow("Endpoint not found: x");
});

test("deleting removes an endpoint's policy, and a project's with those of its endpoints; again is fine", async () => {
  const owner = newOwner();
  const sibling = { endpoint: randomUUID() };
  await set(first, { ...owner.project, keywords: ["a"] }, owner);
  await set(first, { ...owner.endpoint, keywords: ["b"] }, owner);
  await set(first, { ...sibling, keywords: ["c"] }, owner);
  const sourceOf = async (named: Named) => (await get(second, named, owner))["source"];
  await first.admin.deleteEndpoint(owner.endpointUuid);
  expect([await sourceOf(owner.endpoint), await sourceOf(sibling)]).toEqual(["project", "both"]);
  for (let times = 0; times < 2; times++) await first.admin.deleteProject(owner.projectUuid);
  expect([await sourceOf(owner.endpoint), await sourceOf(sibling), await sourceOf(owner.project)]).toEqual([
    null,
    null,
    null,
  ]);
  await expect.poll(async () => (await inspect(second, owner, "a")).policyAbsent).toBe(true);
});

test("a test of a text shows every finding, also after the first block", async () => {
  const owner = newOwner();
  const tryText = async (text: string) =>
    await second.admin.call("svc_test_guardrails", { ...owner.endpoint, text }, owner.within);
  expect(await tryText("falcon")).toEqual({ blocked: false, findings: [], source: null });
  await set(first, { ...owner.project, keywords: ["falcon"], pii: { mode: "block" } }, owner);
  expect(await tryText("falcon ann@example.com")).toEqual({
    blocked: true,
    reason: "keyword",
    message: "Request blocked: keyword 'falcon' detected in input.",
    source: "project",
    findings: [
      { detector: "keyword", label: "falcon", start: 0, end: 6 },
      { detector: "pii", label: "E-Mail", start: 7, end: 22 },
    ],
  });
  await set(first, { ...owner.project, pii: { mode: "mask" } }, owner);
  expect(await tryText("to ann@example.com")).toMatchObject({ blocked: false, masked_text: "to [E-Mail]" });
});

test("a policy that is set or removed is audited once, with the initiator, and an equal one is not", async () => {
  const owner = newOwner();
  const { within: project } = owner;
  const keywords = ["falcon"];
  for (const named of [owner.project, owner.project, owner.endpoint]) await set(first, { ...named, keywords }, owner);
  await set(second, { ...owner.project, keywords: ["eagle"] }, owner);
  for (let count = 0; count < 2; count++) await set(first, { ...owner.project, clear: true }, owner);
  await first.admin.deleteEndpoint(owner.endpointUuid);
  const { log } = createSilentTelemetry();
  const reader = openDatabase({ url: new Secret(database.url), schema: "guardrail", connectionsMax: 1, log });
  const { rows } = await reader.pool.query<{ body: string }>("SELECT body FROM audit_outbox ORDER BY seq");
  await reader.close();
  const events = rows
    .map(({ body }) => JSON.parse(body) as AuditEvent)
    .filter((event) => event.project?.uuid === project.uuid);
  expect(events.map(({ event, target, metadata }) => [event, target, metadata])).toEqual([
    ["guardrail.updated", "Shop", { owner: "project", action: "set" }],
    ["guardrail.updated", owner.endpointUuid, { owner: "endpoint", endpoint: owner.endpointUuid, action: "set" }],
    ["guardrail.updated", "Shop", { owner: "project", action: "set" }],
    ["guardrail.updated", "Shop", { owner: "project", action: "removed" }],
  ]);
  expect(events[0]).toMatchObject({ actor: "admin_key:ops", ipAddress: "192.0.2.7", project });
});

test.each([
  ["ai_gateway", "chat"],
  ["ai_wrapper", "chat"],
  ["mcp_gateway", "mcp"],
  ["api_gateway", "api"],
])("a policy that names no surfaces covers the traffic of its project's type: %s", async (projectType, surface) => {
  const owner = newOwner();
  const within = { ...owner.within, projectType };
  expect(await get(first, owner.project, { within })).toMatchObject({ surfaces: [surface] });
  for (const named of [owner.project, owner.endpoint]) {
    expect(await set(first, { ...named, keywords: ["falcon"] }, { within })).toMatchObject({ surfaces: [surface] });
  }
});

test("whole values are requested only if a pattern has a path, and judged by it", async () => {
  const owner = newOwner();
  const { projectUuid, endpointUuid } = owner;
  const question = { projectUuid, endpointUuid, side: "SIDE_INPUT", surface: "SURFACE_API" } as const;
  const texts = [{ role: "parameter", text: "to\na@evil.example" }];
  await set(first, { ...owner.project, surfaces: ["api"], keywords: ["falcon"] }, owner);
  expect((await first.guardrail.inspect({ ...question, texts })).asksDocuments).toBe(false);
  const rules = [{ name: "r", when: {}, patterns: [{ name: "to", path: "$.to", pattern: "@evil" }] }];
  await set(first, { ...owner.project, surfaces: ["api"], rules }, owner);
  expect(await first.guardrail.inspect({ ...question, texts })).toMatchObject({ blocked: false, asksDocuments: true });
  const documents = [{ role: "parameter", text: '{"to":"a@evil.example"}' }];
  expect(await first.guardrail.inspect({ ...question, texts: documents, areDocuments: true })).toMatchObject({
    blocked: true,
    message: "Request blocked: keyword 'to' detected in input.",
    asksDocuments: false,
  });
});

test("masks on other surfaces than chat are numbered only if their answers are judged", async () => {
  const owner = newOwner();
  const { projectUuid, endpointUuid } = owner;
  const texts = [{ role: "parameter", text: "to ann@example.com" }];
  const masked = async (policy: object, surface: "SURFACE_CHAT" | "SURFACE_API" | "SURFACE_MCP") => {
    const checks = { pii: { mode: "mask" }, reversible_masks: true, surfaces: ["chat", "mcp", "api"] };
    await set(first, { ...owner.project, ...checks, ...policy }, owner);
    const question = { projectUuid, endpointUuid, side: "SIDE_INPUT", surface, texts } as const;
    const { maskedTexts, placeholders } = await first.guardrail.inspect(question);
    return [maskedTexts[0], placeholders.length];
  };
  expect(await masked({}, "SURFACE_CHAT")).toEqual(["to [E-Mail 1]", 1]);
  for (const surface of ["SURFACE_API", "SURFACE_MCP"] as const) {
    expect(await masked({}, surface)).toEqual(["to [E-Mail]", 0]);
    expect(await masked({ apply_to_output: true }, surface)).toEqual(["to [E-Mail 1]", 1]);
  }
});
