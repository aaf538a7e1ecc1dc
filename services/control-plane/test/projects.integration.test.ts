import { GatewayError } from "@gatehouse/errors";
import { fromPrincipalMessage, hashToken } from "@gatehouse/principal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

interface Project {
  readonly id: number;
  readonly uuid: string;
  readonly [field: string]: unknown;
}

let plane: TestControlPlane;

beforeAll(async () => {
  plane = await startControlPlane();
});

afterAll(async () => {
  await plane.stop();
});

async function createProject(args: object = {}): Promise<Project> {
  return await run<Project>(plane.service, "svc_create_project", { name: "Shop", project_type: "ai_gateway", ...args });
}

test("a project's fields are those of the contract, with the default limits", async () => {
  expect(await createProject()).toEqual({
    id: expect.any(Number),
    uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Shop",
    project_type: "ai_gateway",
    rate_limit_per_minute: 600,
    rate_limit_per_hour: 20_000,
    on_ledger_unavailable: "refuse",
    created_at: expect.stringMatching(/^20\d\d-.*Z$/),
  });
});

test.each(["ai_gateway", "mcp_gateway", "ai_wrapper", "api_gateway"])("a project can be a %s", async (projectType) => {
  expect(await createProject({ project_type: projectType })).toMatchObject({ project_type: projectType });
});

/** The project as routers get it with one of its tokens, and as services enforce it. */
async function enforced(project: string) {
  const args = { project, name: "t", scopes: ["chat"] };
  const { token } = await run<{ token: string }>(plane.service, "svc_create_token", args);
  const { principal } = await plane.principals.resolveToken({ tokenHash: hashToken(token) });
  if (principal === undefined) throw new Error("The token is not resolved.");
  return fromPrincipalMessage(principal).project;
}

test("a limit of null is unlimited for the project's calls", async () => {
  const project = await createProject({ rate_limit_per_minute: null, rate_limit_per_hour: 7 });
  expect(project).toMatchObject({ rate_limit_per_minute: null, rate_limit_per_hour: 7 });
  expect((await enforced(project.uuid)).rateLimits).toEqual({ perMinute: null, perHour: 7 });
  const update = { project: project.uuid, rate_limit_per_hour: null };
  await run(plane.service, "svc_update_project", update);
  expect((await enforced(project.uuid)).rateLimits).toEqual({ perMinute: null, perHour: null });
});

test("calls of a project continue for the set time without the ledger, or are refused", async () => {
  const { uuid, ...created } = await createProject({ on_ledger_unavailable: { allow_for_seconds: 60 } });
  expect(created).toMatchObject({ on_ledger_unavailable: { allow_for_seconds: 60 } });
  expect((await enforced(uuid)).ledgerGraceSeconds).toBe(60);
  const change = async (value: unknown) =>
    await run(plane.service, "svc_update_project", { project: uuid, on_ledger_unavailable: value });
  expect(await change({ allow_for_seconds: 300 })).toMatchObject({ on_ledger_unavailable: { allow_for_seconds: 300 } });
  expect((await enforced(uuid)).ledgerGraceSeconds).toBe(300);
  expect(await change("refuse")).toMatchObject({ on_ledger_unavailable: "refuse" });
  expect(await run(plane.service, "svc_get_project", { project: uuid })).toMatchObject({
    on_ledger_unavailable: "refuse",
  });
  expect((await enforced(uuid)).ledgerGraceSeconds).toBeUndefined();
});

test("an unknown argument is refused with the nearest name, and nothing is created", async () => {
  const misspelt = { name: "misspelt", project_type: "ai_gateway", rate_limit_per_minut: 5 };
  expect(await refusal(plane.service, "svc_create_project", misspelt)).toBe(
    "-32602 Unknown argument: rate_limit_per_minut. Did you mean 'rate_limit_per_minute'?",
  );
  const { projects } = await run<{ projects: { name: string }[] }>(plane.service, "svc_list_projects", { limit: 200 });
  expect(projects.map(({ name }) => name)).not.toContain("misspelt");
});

test("an update changes only the fields that it names", async () => {
  const { uuid, ...project } = await createProject({ rate_limit_per_minute: 5 });
  const renamed = await run(plane.service, "svc_update_project", { project: uuid, name: "Store" });
  expect(renamed).toEqual({ ...project, uuid, name: "Store" });
  const unlimited = await run(plane.service, "svc_update_project", { project: uuid, rate_limit_per_minute: null });
  expect(unlimited).toEqual({ ...project, uuid, name: "Store", rate_limit_per_minute: null });
  expect(await run(plane.service, "svc_update_project", { project: uuid })).toEqual(unlimited);
  expect(await run(plane.service, "svc_get_project", { project: uuid.toUpperCase() })).toEqual(unlimited);
});

test("a project keeps its type", async () => {
  const { uuid } = await createProject();
  const change = (type: string) => ({ project: uuid, project_type: type });
  expect(await refusal(plane.service, "svc_update_project", change("ai_wrapper"))).toBe(
    "-32602 project_type cannot be changed; create another project",
  );
  expect(await run(plane.service, "svc_update_project", change("ai_gateway"))).toMatchObject({ uuid });
});

test("a deleted project and its tokens are not found any more, and chat deletes its part", async () => {
  const { uuid } = await createProject();
  const { token } = await run<{ token: string }>(plane.service, "svc_create_token", {
    project: uuid,
    name: "t",
    scopes: [],
  });
  expect(await run(plane.service, "svc_delete_project", { project: uuid })).toMatchObject({ uuid, deleted: true });
  expect(plane.endpoints.deletedProjects).toContain(uuid);
  expect((await plane.principals.resolveToken({ tokenHash: hashToken(token) })).principal).toBeUndefined();
  expect(await refusal(plane.service, "svc_delete_project", { project: uuid })).toBe(
    `-32602 Project not found: ${uuid}`,
  );
});

test("a project whose deletion failed half way can be deleted again", async () => {
  const { uuid } = await createProject();
  plane.endpoints.failure = new GatewayError("unavailable", "A service of the gateway is not available.");
  expect(await refusal(plane.service, "svc_delete_project", { project: uuid })).toBe(
    "-32603 A service of the gateway is not available.",
  );
  expect(await run(plane.service, "svc_get_project", { project: uuid })).toMatchObject({ uuid });
  plane.endpoints.failure = undefined;
  expect(await run(plane.service, "svc_delete_project", { project: uuid })).toMatchObject({ uuid, deleted: true });
});

test("a deleted endpoint is deleted for every owner, also while one of them is away", async () => {
  const { uuid: project } = await createProject();
  const endpoint = async (slug: string) =>
    (await run<{ uuid: string }>(plane.service, "svc_create_endpoint", { project, slug })).uuid;
  const [one, two] = [await endpoint("one"), await endpoint("two")];
  await run(plane.service, "svc_delete_endpoint", { endpoint: one });
  expect(plane.endpoints.deletedEndpoints).toContain(one);
  plane.endpoints.failure = new GatewayError("unavailable", "A service of the gateway is not available.");
  expect(await run(plane.service, "svc_delete_endpoint", { endpoint: two })).toMatchObject({ deleted: true });
  plane.endpoints.failure = undefined;
});

test("lists come in pages, oldest first, until the cursor is null", async () => {
  const own = await startControlPlane();
  const uuids: string[] = [];
  for (let index = 0; index < 5; index++) {
    const { uuid } = await run<Project>(own.service, "svc_create_project", {
      name: `p${index}`,
      project_type: "ai_gateway",
    });
    uuids.push(uuid);
  }
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { projects: Project[]; next_cursor: string | null } = await run(own.service, "svc_list_projects", {
      limit: 2,
      cursor,
    });
    seen.push(...page.projects.map(({ uuid }) => uuid));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toEqual(uuids);
  await own.stop();
});

test.each([
  [{}, "Missing required argument: name"],
  [{ name: "x" }, "Missing required argument: project_type"],
  [{ project_type: "nope" }, "Missing required argument: name"],
  [{ name: "x", project_type: "nope" }, "Invalid project_type: nope"],
  [{ name: "x", project_type: "" }, "Invalid project_type: "],
  [{ name: "x", project_type: 5 }, "Invalid project_type: 5"],
  [{ name: "x", project_type: ["ai_gateway"] }, 'Invalid project_type: ["ai_gateway"]'],
  [{ name: "x", project_type: "y".repeat(5_000) }, `Invalid project_type: ${"y".repeat(200)}…`],
  [{ name: "", project_type: "ai_gateway" }, "name must not be empty"],
  [{ name: {}, project_type: "ai_gateway" }, "name must be string"],
  [
    { name: "x", project_type: "ai_gateway", rate_limit_per_minute: "many" },
    "rate_limit_per_minute must be integer or null",
  ],
  [
    { name: "x", project_type: "ai_gateway", rate_limit_per_minute: 1e10 },
    "rate_limit_per_minute must be from 1 to 1000000000",
  ],
  [
    { name: "x", project_type: "ai_gateway", on_ledger_unavailable: "allow" },
    'on_ledger_unavailable must be "refuse" or an object with allow_for_seconds',
  ],
  [
    { name: "x", project_type: "ai_gateway", on_ledger_unavailable: 60 },
    'on_ledger_unavailable must be "refuse" or an object with allow_for_seconds',
  ],
  [
    { name: "x", project_type: "ai_gateway", on_ledger_unavailable: { allow_for_seconds: 301 } },
    "on_ledger_unavailable.allow_for_seconds must be from 1 to 300",
  ],
  [
    { name: "x", project_type: "ai_gateway", on_ledger_unavailable: {} },
    "Missing required argument: on_ledger_unavailable.allow_for_seconds",
  ],
])("creating a project with %j is refused: %s", async (args, message) => {
  expect(await refusal(plane.service, "svc_create_project", args)).toBe(`-32602 ${message}`);
});

test.each([
  [{ limit: 0 }, "limit must be from 1 to 200"],
  [{ limit: 201 }, "limit must be from 1 to 200"],
  [{ limit: "5" }, "limit must be integer"],
  [{ cursor: 5 }, "cursor must be string"],
  [{ cursor: "%%%" }, "cursor must be the next_cursor of an earlier page"],
])("listing with %j is refused: %s", async (args, message) => {
  expect(await refusal(plane.service, "svc_list_projects", args)).toBe(`-32602 ${message}`);
});

test("a cursor beyond every row is an empty last page", async () => {
  const cursor = Buffer.from("2147483647").toString("base64url");
  expect(await run(plane.service, "svc_list_projects", { cursor })).toEqual({ projects: [], next_cursor: null });
});

test.each(["svc_get_project", "svc_update_project", "svc_delete_project", "svc_list_tokens", "svc_list_endpoints"])(
  "%s refuses a project that is not there",
  async (name) => {
    for (const project of ["", "x", "00000000-0000-4000-8000-000000000000", "' OR 1=1"]) {
      expect(await refusal(plane.service, name, { project })).toBe(`-32602 Project not found: ${project}`);
    }
    expect(await refusal(plane.service, name, {})).toBe("-32602 Missing required argument: project");
    expect(await refusal(plane.service, name, { project: ["x"] })).toBe("-32602 project must be string");
  },
);
