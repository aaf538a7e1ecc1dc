import { randomUUID } from "node:crypto";
import {
  bindAdmin,
  defineOperation,
  looseObject,
  object,
  optional,
  page,
  project,
  reference,
  string,
} from "@gatehouse/admin";
import type { AuditInitiator } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import type { Principal } from "@gatehouse/principal";
import { connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RpcAnswer, refusal, run, send, startControlPlane, type TestControlPlane } from "./control-plane.ts";

interface Shop {
  readonly name: string;
  readonly initiators: AuditInitiator[];
  readonly deleted: string[];
  /** Projects of its things. */
  readonly projects: string[];
}

const access = { right: "write", scope: "project" } as const;

/** An owner of things in projects of one type, with a switch that makes it unreachable. */
function createShop(name: string, projectTypes: readonly string[], owned: readonly string[]) {
  const shop: Shop = { name, initiators: [], deleted: [], projects: [] };
  const size = name === "hats" ? { size: optional(string({ description: "A size.", lengthMax: 3 })) } : {};
  const create = defineOperation({
    name: "svc_create_thing",
    description: "Creates a thing.",
    output: looseObject(),
    access,
    projectTypes,
    refuseProjectType: (type) => `No things in ${type}.`,
    input: object({ project, title: string({ description: "A title.", lengthMax: 10 }), ...size }),
    async run({ input, initiator }, context: Shop) {
      context.initiators.push(initiator);
      return await Promise.resolve({ ...input, shop: context.name });
    },
  });
  const get = defineOperation({
    name: "svc_get_thing",
    description: "Shows a thing.",
    output: looseObject(),
    access,
    projectTypes,
    subject: {
      argument: "thing",
      async findProject(thing: string, { projects }: Shop) {
        if (!owned.includes(thing)) throw new GatewayError("not_found", `Thing not found: ${thing}`);
        return await Promise.resolve(projects[0] ?? "");
      },
    },
    input: object({ thing: reference("Its name."), ...size }),
    async run({ input, initiator }, context: Shop) {
      context.initiators.push(initiator);
      return await Promise.resolve({ ...input, shop: context.name });
    },
  });
  const list = defineOperation({
    name: `svc_list_${name}`,
    description: "Lists things.",
    output: looseObject(),
    access: { right: "read", scope: "project" },
    input: object({ project, ...page }),
    run: async ({ input }) => await Promise.resolve({ limit: input.limit }),
  });
  const label = defineOperation({
    name: `svc_label_${name}`,
    description: "Labels the things of the other shop, too.",
    output: looseObject(),
    access,
    subject: { argument: "thing", operation: "svc_get_thing" },
    input: object({ thing: reference("Its name.") }),
    run: async ({ input, initiator }) => await Promise.resolve({ ...input, project: initiator.project?.uuid }),
  });
  const trace = defineOperation({
    name: `svc_trace_${name}`,
    description: "Shows what became of things.",
    output: looseObject(),
    access: { right: "read", scope: "project" },
    coversDeletedProjects: true,
    input: object({ project }),
    run: async ({ input, initiator }) => await Promise.resolve({ ...input, isKnown: initiator.project !== null }),
  });
  const binding = bindAdmin({
    operations: [create, get, list, label, trace],
    context: shop,
    deleteProject: async (uuid) => void (await Promise.resolve(shop.deleted.push(uuid))),
  });
  const client = connectLocally(binding);
  const state = { isAway: false };
  const away = async () =>
    await Promise.reject(new GatewayError("unavailable", "A service of the gateway is not available."));
  const switched = Object.fromEntries(
    Object.entries(client).map(([method, call]) => [
      method,
      async (...args: never[]) =>
        state.isAway ? await away() : await (call as (...given: never[]) => unknown)(...args),
    ]),
  ) as typeof client;
  return { shop, state, owner: { name, client: switched } };
}

const hats = createShop("hats", ["ai_gateway"], ["fedora"]);
const shoes = createShop("shoes", ["mcp_gateway"], ["boot"]);
let plane: TestControlPlane;
let uuids: Record<"ai_gateway" | "mcp_gateway", string>;

beforeAll(async () => {
  plane = await startControlPlane({ peers: { owners: [hats.owner, shoes.owner] } });
  const create = async (type: string) =>
    (await run<{ uuid: string }>(plane.service, "svc_create_project", { name: type, project_type: type })).uuid;
  uuids = { ai_gateway: await create("ai_gateway"), mcp_gateway: await create("mcp_gateway") };
  hats.shop.projects.push(uuids.ai_gateway);
  shoes.shop.projects.push(uuids.mcp_gateway);
});

afterAll(async () => await plane.stop());

async function listTools() {
  const { text: body } = await send(plane.service, { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
  const { tools } = (JSON.parse(body) as RpcAnswer).result as { tools: { name: string; inputSchema: object }[] };
  return tools;
}

test("operations of owners are listed after the Control Plane's, one of each name", async () => {
  const names = (await listTools()).map(({ name }) => name);
  expect(names.slice(-8)).toEqual([
    "svc_create_thing",
    "svc_get_thing",
    "svc_list_hats",
    "svc_label_hats",
    "svc_trace_hats",
    "svc_list_shoes",
    "svc_label_shoes",
    "svc_trace_shoes",
  ]);
  expect(new Set(names).size).toBe(names.length);
});

test("an operation of several owners accepts the arguments of any of them", async () => {
  const create = (await listTools()).find(({ name }) => name === "svc_create_thing");
  expect(create?.inputSchema).toMatchObject({ required: ["project", "title"], additionalProperties: false });
  expect(create?.inputSchema).toHaveProperty("properties.size");
});

test("the project's type chooses the owner, who gets the project with the caller", async () => {
  const made = await run(plane.service, "svc_create_thing", { project: uuids.mcp_gateway, title: "boot" });
  expect(made).toMatchObject({ shop: "shoes" });
  expect(shoes.shop.initiators.at(-1)).toMatchObject({
    actor: "admin_key:initial",
    project: { uuid: uuids.mcp_gateway, name: "mcp_gateway" },
  });
});

test("a call without a project goes to the owner of the resource", async () => {
  expect(await run(plane.service, "svc_get_thing", { thing: "boot" })).toEqual({ thing: "boot", shop: "shoes" });
  expect(await run(plane.service, "svc_get_thing", { thing: "fedora" })).toEqual({ thing: "fedora", shop: "hats" });
  expect(await refusal(plane.service, "svc_get_thing", { thing: "cap" })).toBe("-32602 Thing not found: cap");
  expect(shoes.shop.initiators.at(-1)).toMatchObject({ project: { uuid: uuids.mcp_gateway, name: "mcp_gateway" } });
  // The thing's owner validates the arguments, not the first owner.
  const sized = { thing: "boot", size: "xl" };
  expect(await refusal(plane.service, "svc_get_thing", sized)).toBe("-32602 Unknown argument: size");
  expect(await refusal(plane.service, "svc_get_thing", {})).toBe("-32602 Missing required argument: thing");
  expect(await refusal(plane.service, "svc_get_thing", { thing: 5 })).toBe("-32602 thing must be string");
});

test("arguments are checked before the resource is looked up, by the schemas of all owners", async () => {
  expect(await refusal(plane.service, "svc_get_thing", { thing: "cap", size: 5 })).toBe("-32602 size must be string");
  expect(await refusal(plane.service, "svc_get_thing", { thing: "cap", size: "xl" })).toBe(
    "-32602 Thing not found: cap",
  );
  expect(await refusal(plane.service, "svc_get_thing", { thing: "cap", sise: "xl" })).toMatch("Unknown argument: sise");
});

test("an administrator of named projects gets the same order of checks, and others' resources answer as missing ones", async () => {
  const principal: Principal = {
    kind: "admin",
    adminKeyId: 2,
    name: "ed",
    role: "editor",
    projects: [uuids.ai_gateway],
  };
  const ask = async (name: string, args: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
    const { error } = JSON.parse((await send(plane.service, { body, principal })).text) as RpcAnswer;
    return error === undefined ? "not refused" : `${error.code} ${error.message}`;
  };
  const foreign = await run<{ id: number }>(plane.service, "svc_create_token", {
    project: uuids.mcp_gateway,
    name: "theirs",
    scopes: [],
  });
  const missing = "00000000-0000-4000-8000-000000000000";
  const cases: readonly (readonly [operation: string, argument: string, foreign: unknown, absent: unknown])[] = [
    ["svc_get_thing", "thing", "boot", "cap"],
    ["svc_label_hats", "thing", "boot", "cap"],
    ["svc_update_token", "token_id", foreign.id, foreign.id + 1_000],
    ["svc_create_thing", "project", uuids.mcp_gateway, missing],
    ["svc_create_token", "project", uuids.mcp_gateway, missing],
    ["svc_list_hats", "project", uuids.mcp_gateway, missing],
  ];
  for (const [operation, argument, theirs, absent] of cases) {
    for (const others of [
      {},
      { size: 5 },
      { name: 5 },
      { sise: "xl" },
      { title: "x", name: "x", scopes: [], limit: 3 },
    ]) {
      const named = async (value: unknown) =>
        (await ask(operation, { ...others, [argument]: value })).replace(String(value), "…");
      const whole = (await refusal(plane.service, operation, { ...others, [argument]: absent })).replace(
        String(absent),
        "…",
      );
      // Equal to the answers that an administrator of the whole gateway gets for missing resources.
      expect([operation, others, await named(theirs), await named(absent)]).toEqual([operation, others, whole, whole]);
    }
  }
  for (const thing of ["boot", "cap"]) {
    const beside = { thing, project: uuids.ai_gateway };
    expect(await ask("svc_get_thing", beside)).toBe("-32602 Unknown argument: project");
    expect(await ask("svc_get_thing", { ...beside, project: uuids.mcp_gateway })).toMatch("Project not found: ");
  }
  expect(await ask("svc_get_thing", { thing: "boot", size: 5 })).toBe("-32602 size must be string");
  expect(await ask("svc_get_thing", { thing: "boot" })).toBe("-32602 Thing not found: boot");
  expect(await ask("svc_get_thing", { thing: "fedora", size: "xl" })).toBe("not refused");
  expect(await ask("svc_update_token", { token_id: foreign.id, name: 5 })).toBe("-32602 name must be string");
  expect(await ask("svc_create_token", { project: uuids.mcp_gateway })).toBe("-32602 Missing required argument: name");
});

test("the project of another owner's resource is found by that owner", async () => {
  const labelled = { thing: "boot", project: uuids.mcp_gateway };
  expect(await run(plane.service, "svc_label_hats", { thing: "boot" })).toEqual(labelled);
  expect(await refusal(plane.service, "svc_label_hats", { thing: "cap" })).toBe("-32602 Thing not found: cap");
  expect(await refusal(plane.service, "svc_label_hats", {})).toBe("-32602 Missing required argument: thing");
});

test.each([
  [{ project: "nobody", title: "x" }, "Project not found: nobody"],
  [{ project: "nobody" }, "Project not found: nobody"],
  [{ title: "x" }, "Missing required argument: project"],
  [{ project: 5, title: "x" }, "project must be string"],
])("svc_create_thing with %j is refused: %s", async (given, message) => {
  expect(await refusal(plane.service, "svc_create_thing", given)).toBe(`-32602 ${message}`);
});

test("an operation on records that outlive projects is called for deleted projects, too", async () => {
  const gone = randomUUID();
  expect(await run(plane.service, "svc_trace_hats", { project: gone })).toEqual({ project: gone, isKnown: false });
  const known = { project: uuids.ai_gateway.toUpperCase() };
  expect(await run(plane.service, "svc_trace_hats", known)).toEqual({ project: uuids.ai_gateway, isKnown: true });
  expect(await refusal(plane.service, "svc_list_hats", { project: gone })).toBe(`-32602 Project not found: ${gone}`);
});

test("a project whose type has no owner is refused by the first one", async () => {
  const { uuid } = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "api",
    project_type: "api_gateway",
  });
  const given = { project: uuid, title: "x" };
  expect(await refusal(plane.service, "svc_create_thing", given)).toBe("-32602 No things in api_gateway.");
});

test("the owner refuses arguments that it does not accept", async () => {
  const given = { project: uuids.mcp_gateway, title: "x", size: "xl" };
  expect(await refusal(plane.service, "svc_create_thing", given)).toBe("-32602 Unknown argument: size");
});

test("a project's deletion reaches every owner", async () => {
  const { uuid } = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "short",
    project_type: "ai_gateway",
  });
  await run(plane.service, "svc_delete_project", { project: uuid });
  expect([hats.shop.deleted, shoes.shop.deleted]).toEqual([
    [uuid, uuid],
    [uuid, uuid],
  ]);
});

test("what is created while its project is deleted is deleted too", async () => {
  const [first, second] = [createShop("first", [], []), createShop("second", [], [])];
  const deleteProject = async (request: { readonly projectUuid?: string }) => {
    if (first.shop.initiators.length === 0) {
      await run(own.service, "svc_create_thing", { project: request.projectUuid, title: "late" });
    }
    return await second.owner.client.deleteProject(request);
  };
  const late = { name: "second", client: { ...second.owner.client, deleteProject } };
  const own = await startControlPlane({ peers: { owners: [first.owner, late] } });
  try {
    const { uuid } = await run<{ uuid: string }>(own.service, "svc_create_project", {
      name: "short",
      project_type: "ai_gateway",
    });
    await run(own.service, "svc_delete_project", { project: uuid });
    expect(first.shop.initiators).toHaveLength(1);
    expect(first.shop.deleted).toEqual([uuid, uuid]);
  } finally {
    await own.stop();
  }
});

test("an owner that is away keeps its tools listed, and calls of them fail until it is back", async () => {
  shoes.state.isAway = true;
  expect((await listTools()).map(({ name }) => name)).toContain("svc_list_shoes");
  expect(await refusal(plane.service, "svc_list_shoes", { project: uuids.ai_gateway })).toMatch(/^-32603 /);
  expect(await run(plane.service, "svc_list_hats", { project: uuids.ai_gateway })).toEqual({ limit: 50 });
  shoes.state.isAway = false;
  expect(await run(plane.service, "svc_list_shoes", { project: uuids.ai_gateway })).toEqual({ limit: 50 });
});

test("an unknown name may be an operation of an owner that has never answered: the answer is to try again", async () => {
  const lost = createShop("lost", [], []);
  lost.state.isAway = true;
  const alone = await startControlPlane({ peers: { owners: [lost.owner] } });
  try {
    expect(await refusal(alone.service, "svc_list_lost", {})).toMatch(/^-32603 /);
    expect(await refusal(alone.service, "svc_get_project", { project: "x" })).toBe("-32602 Project not found: x");
    lost.state.isAway = false;
    expect(await refusal(alone.service, "svc_nonsense", {})).toBe("-32602 Unknown tool: svc_nonsense");
  } finally {
    await alone.stop();
  }
});
