import { randomUUID } from "node:crypto";
import { GatewayError } from "@gatehouse/errors";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

let world: TestControlPlane;
let project: string;
let endpoint: string;

beforeAll(async () => {
  world = await startControlPlane();
});
afterAll(async () => await world.stop());

beforeEach(async () => {
  world.guardrail.failure = undefined;
  const made = await run<{ uuid: string }>(world.service, "svc_create_project", {
    name: randomUUID(),
    project_type: "ai_gateway",
  });
  project = made.uuid;
  endpoint = (await run<{ uuid: string }>(world.service, "svc_create_endpoint", { project, slug: "s" })).uuid;
});

test("a policy goes to its owner as it was sent, without what names the owner", async () => {
  const policy = { pii: { mode: "mask", entities: ["email"] }, keywords: ["a"] };
  const set = await run(world.service, "svc_set_guardrails", { project, ...policy });
  expect(JSON.parse(world.guardrail.documents.get(project) ?? "")).toEqual(policy);
  expect(set).toMatchObject({ project, endpoint: null, source: "project", max_content_length: null, ...policy });
  await run(world.service, "svc_set_guardrails", { endpoint, keywords: ["b"] });
  expect(JSON.parse(world.guardrail.documents.get(endpoint) ?? "")).toEqual({ keywords: ["b"] });
  expect(await run(world.service, "svc_get_guardrails", { endpoint })).toMatchObject({
    project,
    endpoint,
    source: "endpoint",
  });
});

test("clear removes a policy and takes no other argument", async () => {
  await run(world.service, "svc_set_guardrails", { project, keywords: ["a"] });
  expect(await refusal(world.service, "svc_set_guardrails", { project, clear: true, keywords: ["a"] })).toBe(
    "-32602 clear cannot be sent together with keywords.",
  );
  expect(await run(world.service, "svc_set_guardrails", { project, clear: true })).toMatchObject({ source: null });
  expect(world.guardrail.documents.has(project)).toBe(false);
});

test("the owner's refusal is the administrator's", async () => {
  expect(await refusal(world.service, "svc_set_guardrails", { project, keywords: ["refused"] })).toBe(
    "-32602 keywords[0] is refused.",
  );
});

test("a tried text comes back with its findings", async () => {
  await run(world.service, "svc_set_guardrails", { endpoint, pii: { mode: "block" } });
  expect(await run(world.service, "svc_test_guardrails", { endpoint, text: "a@b.c" })).toEqual({
    blocked: true,
    message: "Request blocked: E-Mail detected in input.",
    reason: "pii",
    findings: [{ detector: "pii", label: "E-Mail", start: 0, end: 5 }],
    source: "endpoint",
  });
  expect(await refusal(world.service, "svc_test_guardrails", { endpoint })).toBe(
    "-32602 Missing required argument: text",
  );
});

test("exactly one owner is named, and it exists", async () => {
  const of = async (args: object) => await refusal(world.service, "svc_get_guardrails", args);
  expect(await of({})).toBe("-32602 Missing required argument: project or endpoint");
  expect(await of({ project, endpoint })).toBe("-32602 Send either project or endpoint, not both.");
  expect(await of({ project: "x" })).toMatch(/Project not found/);
  expect(await of({ endpoint: "x" })).toMatch(/Endpoint not found/);
});

test("a deleted endpoint takes its policy along, and is deleted also while the guardrails are away", async () => {
  await run(world.service, "svc_set_guardrails", { endpoint, keywords: ["a"] });
  await run(world.service, "svc_delete_endpoint", { endpoint });
  expect(world.guardrail.documents.has(endpoint)).toBe(false);
  const other = await run<{ uuid: string }>(world.service, "svc_create_endpoint", { project, slug: "t" });
  world.guardrail.failure = new GatewayError("unavailable", "away");
  expect(await run(world.service, "svc_delete_endpoint", { endpoint: other.uuid })).toMatchObject({ deleted: true });
});

test("a project whose policies cannot be deleted stays, to be deleted once more", async () => {
  world.guardrail.failure = new GatewayError("unavailable", "away");
  expect(await refusal(world.service, "svc_delete_project", { project })).toContain("away");
  world.guardrail.failure = undefined;
  expect(await run(world.service, "svc_delete_project", { project })).toMatchObject({ deleted: true });
  expect(world.guardrail.deletedProjects).toContain(project);
});
