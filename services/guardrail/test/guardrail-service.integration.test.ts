import { randomUUID } from "node:crypto";
import { type AuditEvent, originMetadata } from "@gatehouse/audit";
import { openDatabase } from "@gatehouse/database";
import { createInProcessTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { GuardrailAdminServiceDefinition, GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { connectLocally, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuardrailService } from "../src/index.ts";

interface Replica {
  readonly service: Service;
  readonly guardrail: RpcClient<typeof GuardrailServiceDefinition>;
  readonly admin: RpcClient<typeof GuardrailAdminServiceDefinition>;
}

let database: TestDatabase;
let first: Replica;
let second: Replica;

async function startReplica(): Promise<Replica> {
  const config = { databaseUrl: new Secret(database.url), databaseConnectionsMax: 5 };
  const service = createGuardrailService(config, {
    telemetry: createSilentTelemetry(),
    events: createInProcessTransport(),
  });
  await service.start();
  const [questions, administration] = service.rpc as unknown as [
    RpcBinding<typeof GuardrailServiceDefinition>,
    RpcBinding<typeof GuardrailAdminServiceDefinition>,
  ];
  return { service, guardrail: connectLocally(questions), admin: connectLocally(administration) };
}

beforeAll(async () => {
  database = await createTestDatabase();
  [first, second] = await Promise.all([startReplica(), startReplica()]);
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
    project: { projectUuid, endpointUuid: "" },
    endpoint: { projectUuid, endpointUuid },
  };
}

type Owner = ReturnType<typeof newOwner>;

async function inspect(replica: Replica, { projectUuid, endpointUuid }: Owner, text: string) {
  const texts = [{ role: "user", text }];
  return await replica.guardrail.inspect({ projectUuid, endpointUuid, side: "SIDE_INPUT", texts });
}

async function set(replica: Replica, owner: Owner["project"], document: object): Promise<void> {
  await replica.admin.setPolicy({ owner, documentJson: JSON.stringify(document) });
}

test("without a policy the answer says so, and nothing else", async () => {
  expect(await inspect(first, newOwner(), "ann@example.com")).toMatchObject({ policyAbsent: true, blocked: false });
});

test("a policy that one replica saved is soon in force on the other", async () => {
  const owner = newOwner();
  expect((await inspect(second, owner, "falcon")).policyAbsent).toBe(true);
  await set(first, owner.project, { keywords: ["falcon"], on_unavailable: "open" });
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

test("an endpoint's policy adds to its project's, whichever changes", async () => {
  const owner = newOwner();
  const judged = async () =>
    await Promise.all(["falcon", "eagle", "crow"].map(async (text) => (await inspect(first, owner, text)).blocked));
  await set(first, owner.project, { keywords: ["falcon"] });
  await set(first, owner.endpoint, { keywords: ["eagle"] });
  await expect.poll(judged).toEqual([true, true, false]);
  await set(first, owner.project, { keywords: ["crow"] });
  await expect.poll(judged).toEqual([false, true, true]);
  const { policy } = await first.admin.getPolicy({ owner: owner.endpoint });
  expect(policy).toMatchObject({ source: "POLICY_SOURCE_BOTH" });
  expect(JSON.parse(policy?.documentJson ?? "")).toMatchObject({ keywords: ["crow", "eagle"] });
  expect(JSON.parse(policy?.ownDocumentJson ?? "")).toMatchObject({ keywords: ["eagle"] });
  expect(await first.admin.testPolicy({ owner: owner.endpoint, text: "crow" })).toMatchObject({ blocked: true });
});

test("only a policy that says so stands in place of its project's, until it is cleared", async () => {
  const owner = newOwner();
  await set(first, owner.project, { keywords: ["falcon"] });
  await set(first, owner.endpoint, { replace: true });
  expect(await inspect(first, owner, "falcon")).toMatchObject({ blocked: false, policyAbsent: false });
  await expect(set(first, owner.project, { replace: true })).rejects.toMatchObject({ code: "invalid_argument" });
  const { policy } = await first.admin.clearPolicy({ owner: owner.endpoint });
  expect(policy).toMatchObject({ source: "POLICY_SOURCE_PROJECT" });
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
])("the policy %j has answers checked by %s", async (policy, outputCheck) => {
  const owner = newOwner();
  await set(first, owner.project, policy);
  expect(await inspect(first, owner, "hello")).toMatchObject({ outputCheck });
});

test("masked texts come back in order, and only where something was masked", async () => {
  const owner = newOwner();
  await set(first, owner.project, { pii: { mode: "mask" } });
  const texts = ["plain", "to ann@example.com"].map((text) => ({ role: "user", text }));
  const masked = await first.guardrail.inspect({ ...owner.endpoint, side: "SIDE_INPUT", texts });
  expect(masked.maskedTexts).toEqual(["plain", "to [E-Mail]"]);
  expect((await inspect(first, owner, "plain")).maskedTexts).toEqual([]);
});

test("a text with very many findings gets a bounded answer", async () => {
  const owner = newOwner();
  await set(first, owner.project, { pii: { mode: "mask" } });
  const { findings, maskedTexts } = await inspect(first, owner, "ann@example.com ".repeat(2_000));
  expect(findings).toHaveLength(1_000);
  expect(maskedTexts[0]).not.toContain("@");
});

test.each([
  ["not json", "not valid JSON"],
  ["[]", "policy must be an object"],
  ['{"keywords":["ok",7]}', "keywords[1] must be a string"],
  ['{"keywords":["ok","\\u0000"]}', "keywords[1] must not have NUL"],
  ['{"patterns":[{"pattern":"("}]}', "patterns[0].pattern is not valid RE2 syntax"],
  ['{"patterns":[{"pattern":"a","name":"\\ud800"}]}', "patterns[0].name must not have NUL characters or unpaired"],
])("the policy %s is refused when it is saved, and nothing is kept", async (documentJson, problem) => {
  const { project } = newOwner();
  const refused = first.admin.setPolicy({ owner: project, documentJson });
  await expect(refused).rejects.toMatchObject({ code: "invalid_argument", message: expect.stringContaining(problem) });
  expect((await first.admin.getPolicy({ owner: project })).policy?.source).toBe("POLICY_SOURCE_UNSPECIFIED");
});

test("a question without a side, or an owner without a project, is refused", async () => {
  const { projectUuid, endpointUuid, project } = newOwner();
  await set(first, project, { keywords: ["x"] });
  const sideless = first.guardrail.inspect({ projectUuid, endpointUuid, texts: [] });
  await expect(sideless).rejects.toMatchObject({ code: "invalid_argument" });
  await expect(first.admin.getPolicy({})).rejects.toMatchObject({ code: "invalid_argument" });
});

test("deleting removes an endpoint's policy, and a project's with those of its endpoints; again is fine", async () => {
  const owner = newOwner();
  const sibling = { projectUuid: owner.projectUuid, endpointUuid: randomUUID() };
  await set(first, owner.project, { keywords: ["a"] });
  await set(first, owner.endpoint, { keywords: ["b"] });
  await set(first, sibling, { keywords: ["c"] });
  const sourceOf = async (of: Owner["project"]) => (await second.admin.getPolicy({ owner: of })).policy?.source;
  await first.admin.deleteEndpoint({ endpointUuid: owner.endpointUuid });
  expect([await sourceOf(owner.endpoint), await sourceOf(sibling)]).toEqual([
    "POLICY_SOURCE_PROJECT",
    "POLICY_SOURCE_BOTH",
  ]);
  for (let times = 0; times < 2; times++) await first.admin.deleteProject({ projectUuid: owner.projectUuid });
  expect([await sourceOf(owner.endpoint), await sourceOf(sibling), await sourceOf(owner.project)]).toEqual(
    Array.from({ length: 3 }, () => "POLICY_SOURCE_UNSPECIFIED"),
  );
  await expect.poll(async () => (await inspect(second, owner, "a")).policyAbsent).toBe(true);
});

test("trying a text shows every finding, also behind the first block", async () => {
  const owner = newOwner();
  await set(first, owner.project, { keywords: ["falcon"], pii: { mode: "block" } });
  const tried = await second.admin.testPolicy({ owner: owner.endpoint, text: "falcon ann@example.com" });
  expect(tried).toMatchObject({ blocked: true, reason: "keyword", source: "POLICY_SOURCE_PROJECT" });
  expect(tried.findings.map(({ detector }) => detector)).toEqual(["keyword", "pii"]);
});

test("a policy that is set or removed is told once, with who asked; the same one again is not", async () => {
  const owner = newOwner();
  const project = { id: 7, uuid: owner.projectUuid, name: "Shop" };
  const origin = { actor: "admin_key:initial", ipAddress: "192.0.2.1", project, traceparent: "" };
  const asked = { metadata: originMetadata(origin) };
  const documentJson = JSON.stringify({ keywords: ["falcon"] });
  for (const policyOwner of [owner.project, owner.project, owner.endpoint]) {
    await first.admin.setPolicy({ owner: policyOwner, documentJson }, asked);
  }
  await second.admin.setPolicy({ owner: owner.project, documentJson: JSON.stringify({ keywords: ["eagle"] }) }, asked);
  for (let count = 0; count < 2; count++) await first.admin.clearPolicy({ owner: owner.project }, asked);
  await first.admin.deleteEndpoint({ endpointUuid: owner.endpointUuid });
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
  expect(events[0]).toMatchObject({ actor: "admin_key:initial", ipAddress: "192.0.2.1", project });
});
