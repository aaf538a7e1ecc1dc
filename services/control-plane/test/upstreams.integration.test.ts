import { connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";
import { createFakeUpstreams, type FakeUpstreams } from "./fake-upstreams.ts";

let plane: TestControlPlane;
let upstreams: FakeUpstreams;
let project: { readonly uuid: string };

beforeAll(async () => {
  upstreams = createFakeUpstreams();
  plane = await startControlPlane({ peers: { upstreams: connectLocally(upstreams.binding) } });
  project = await run(plane.service, "svc_create_project", { name: "Tools", project_type: "mcp_gateway" });
});

afterAll(async () => await plane.stop());

const given = { prefix: "files", url: "https://mcp.example/mcp" };

async function create(more: object = {}): Promise<{ readonly id: number }> {
  return await run(plane.service, "svc_create_upstream", { project: project.uuid, ...given, ...more });
}

test("a new upstream is shown with its settings and state, and without its token", async () => {
  const upstream = await create({ bearer_token: "s3cret", on_tools_changed: "hide", denied_tools: ["rm*"] });
  expect(upstream).toEqual({
    id: expect.any(Number),
    project: project.uuid,
    ...given,
    has_bearer_token: true,
    is_active: true,
    allowed_tools: null,
    denied_tools: ["rm*"],
    on_tools_changed: "hide",
    state: {
      health: "unknown",
      era: "unknown",
      tool_count: 0,
      quarantined_tools: [{ name: "bad", reason: "its inputSchema is not an object" }],
      changed_tools: [],
      suspicious_tools: [],
      listed_at: null,
      last_error: null,
    },
    created_at: "2026-11-21T08:00:00.000Z",
    updated_at: "2026-11-21T08:00:00.000Z",
  });
  expect(upstreams.tokens.get(upstream.id)).toBe("s3cret");
  expect(upstreams.origins.at(-1)).toMatchObject({ actor: "admin_key:initial", project: { uuid: project.uuid } });
});

test("an upstream without a token has none, and the list has it", async () => {
  const { id } = await create();
  const { upstreams: listed } = await run<{ upstreams: readonly { readonly id: number }[] }>(
    plane.service,
    "svc_list_upstreams",
    { project: project.uuid },
  );
  expect(listed.find((upstream) => upstream.id === id)).toMatchObject({ has_bearer_token: false });
});

test("an update changes what it names; null takes the token away and gives a setting its default back", async () => {
  const { id } = await create({ bearer_token: "s3cret", on_tools_changed: "block" });
  const change = { upstream_id: id, is_active: false, bearer_token: null, on_tools_changed: null };
  expect(await run(plane.service, "svc_update_upstream", change)).toMatchObject({
    ...given,
    is_active: false,
    has_bearer_token: false,
    on_tools_changed: "warn",
  });
});

test("refresh, test, approval and deletion answer with what the aggregator says", async () => {
  const { id } = await create();
  const named = { upstream_id: id };
  expect(await run(plane.service, "svc_refresh_upstream", named)).toMatchObject({ id, tools: ["one__echo"] });
  expect(await run(plane.service, "svc_test_upstream", named)).toEqual({
    reachable: false,
    steps: [{ name: "resolve", succeeded: false, detail: "no address", duration_ms: 3 }],
  });
  expect(await run(plane.service, "svc_approve_tools", named)).toMatchObject({ approved: ["changed"] });
  expect(await run(plane.service, "svc_approve_tools", { ...named, tools: ["a"] })).toMatchObject({ approved: ["a"] });
  expect(await run(plane.service, "svc_delete_upstream", named)).toMatchObject({ id, deleted: true });
  expect(await refusal(plane.service, "svc_refresh_upstream", named)).toBe(`-32602 Upstream not found: ${id}`);
});

test.each([
  ["svc_create_upstream", { ...given }, "Missing required argument: project"],
  ["svc_create_upstream", { project: "nope", ...given }, "Project not found: nope"],
  ["svc_create_upstream", { prefix: "a" }, "Missing required argument: project"],
  ["svc_update_upstream", { upstream_id: 99_999 }, "Upstream not found: 99999"],
  ["svc_delete_upstream", { upstream_id: 9_999_999_999 }, "Upstream not found: 9999999999"],
  ["svc_refresh_upstream", { upstream_id: "1" }, "upstream_id must be integer"],
  ["svc_update_upstream", { upstream_id: 1, is_active: "yes" }, "is_active must be boolean"],
  ["svc_update_upstream", { upstream_id: 1, session_mode: "x" }, "Invalid session_mode: x"],
])("%s refuses %o", async (operation, args, message) => {
  expect(await refusal(plane.service, operation, args)).toBe(`-32602 ${message}`);
});

test("a project of another type is refused, and said to be", async () => {
  const other = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "Chat",
    project_type: "ai_gateway",
  });
  expect(await refusal(plane.service, "svc_create_upstream", { project: other.uuid, ...given })).toBe(
    `-32602 Project ${other.uuid} is of type ai_gateway; only mcp_gateway projects have upstreams.`,
  );
});

test("what the aggregator refuses is refused with its reason", async () => {
  expect(await refusal(plane.service, "svc_create_upstream", { project: project.uuid, ...given, prefix: "a__b" })).toBe(
    "-32602 Invalid prefix: a__b. The rule.",
  );
  const blocked = { project: project.uuid, prefix: "meta", url: "http://169.254.169.254/" };
  expect((await call(plane.service, "svc_create_upstream", blocked)).error).toEqual({
    code: -32602,
    message: "Upstream URL blocked by SSRF guard.",
    data: { detail: "link-local" },
  });
});

test("a deleted project's upstreams are removed by their owner", async () => {
  const { uuid } = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "Gone",
    project_type: "mcp_gateway",
  });
  await run(plane.service, "svc_delete_project", { project: uuid });
  expect(upstreams.deletedProjects).toEqual([uuid]);
});
