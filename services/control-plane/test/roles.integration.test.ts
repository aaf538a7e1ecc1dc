import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AdminPrincipal, type AdminRole, adminRoles } from "@gatehouse/principal";
import { untraced } from "@gatehouse/telemetry";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../src/admin/operations.ts";
import { type RpcAnswer, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

/** `MODEL_STEPS=100000` runs the model for long. */
const modelSteps = Number(process.env["MODEL_STEPS"] ?? 400);
/** Concurrent walks of the model, each with separate fixtures: a step mostly waits for the database. */
const walks = 8;
const modelSeed = Number(process.env["MODEL_SEED"] ?? 20_261_122);

let plane: TestControlPlane;
let server: Server;
let url = "";
/** Callers of the requests in progress, by the number in their header. */
const senders = new Map<string, AdminPrincipal>();
let sent = 0;

function administrator(role: AdminRole, projects: readonly string[] | null): AdminPrincipal {
  return { kind: "admin", adminKeyId: 1, name: `${role} of ${projects?.length ?? "all"}`, role, projects };
}

beforeAll(async () => {
  plane = await startControlPlane();
  server = createServer((req, res) => {
    const span = untraced.start("test", { kind: "server" });
    const principal = senders.get(String(req.headers["x-sent"])) ?? administrator("viewer", []);
    void plane.service.http?.(req, res, { principal, requestId: "r", ipAddress: "127.0.0.1", span });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/control/mcp`;
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await plane.stop();
});

async function ask(principal: AdminPrincipal, method: string, params?: object): Promise<RpcAnswer> {
  const number = String((sent += 1));
  senders.set(number, principal);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const reply = await fetch(url, { method: "POST", body, headers: { "x-sent": number } });
  senders.delete(number);
  return (await reply.json()) as RpcAnswer;
}

const call = async (principal: AdminPrincipal, name: string, args: object) =>
  await ask(principal, "tools/call", { name, arguments: args });

const messageOf = ({ error }: RpcAnswer) => (error === undefined ? "done" : `${error.code} ${error.message}`);

interface Fixture {
  readonly uuid: string;
  readonly tokenId: number;
  readonly endpoint: string;
}

async function createFixture(): Promise<Fixture> {
  const { uuid } = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "p",
    project_type: "ai_gateway",
  });
  const { id } = await run<{ id: number }>(plane.service, "svc_create_token", { project: uuid, name: "t", scopes: [] });
  const made = await run<{ uuid: string }>(plane.service, "svc_create_endpoint", { project: uuid, slug: "s" });
  return { uuid, tokenId: id, endpoint: made.uuid };
}

/** Arguments that name the fixture's project and resources; undefined for operations without any. */
function argumentsFor(name: string, { uuid, tokenId, endpoint }: Fixture): object | undefined {
  const { inputSchema } = operations.find((operation) => operation.name === name) ?? {};
  const properties = inputSchema?.["properties"] ?? {};
  const required = (inputSchema?.["required"] ?? []) as readonly string[];
  const others = Object.fromEntries(Object.entries(otherArguments).filter(([each]) => required.includes(each)));
  if (Object.hasOwn(properties, "token_id")) return { token_id: tokenId, ...others };
  if (Object.hasOwn(properties, "project")) return { project: uuid, ...others };
  return name === "svc_get_endpoint" || name === "svc_delete_endpoint" ? { endpoint } : undefined;
}

/** Other required arguments. */
const otherArguments = { name: "x", scopes: ["chat"], issuer: "https://id.example/", audience: "gatehouse", slug: "x" };

const rank = { viewer: 0, editor: 1, owner: 2 } as const;
const needed = { read: 0, write: 1, administer: 2 } as const;

test("every operation, with every role and reach, is allowed, refused or not found", async () => {
  const [own, other] = [await createFixture(), await createFixture()];
  let judged = 0;
  for (const { name, access } of operations) {
    for (const role of adminRoles) {
      for (const projects of [null, [own.uuid], []] as const) {
        const who = administrator(role, projects);
        const isAllowed = rank[role] >= needed[access.right] && (access.scope === "project" || projects === null);
        const { result } = await ask(who, "tools/list");
        const listed = ((result?.["tools"] ?? []) as { name: string }[]).map((tool) => tool.name);
        expect(listed.includes(name), `${name} listed for ${who.name}`).toBe(isAllowed);
        if (isAllowed) continue;
        // Refused before the arguments are read: an unknown argument, and a list instead of an object.
        for (const given of [{ no_such_argument: 1, project: other.uuid }, []]) {
          const refused = messageOf(await call(who, name, given));
          expect(refused, who.name).toMatch(
            new RegExp(`^-32602 Not allowed: ${name} needs the role \\w+( for the whole gateway)?\\.$`),
          );
        }
        judged += 1;
      }
    }
  }
  expect(judged).toBeGreaterThan(operations.length);
});

test("another project's resources get the answers of missing ones", async () => {
  const [own, other] = [await createFixture(), await createFixture()];
  const absent = { uuid: "00000000-0000-0000-0000-000000000000", tokenId: 999_999_999 };
  const nowhere: Fixture = { ...absent, endpoint: absent.uuid };
  const who = administrator("owner", [own.uuid]);
  let judged = 0;
  for (const { name, access } of [...operations, ...toyOperations]) {
    if (access.scope !== "project") continue;
    const theirs = argumentsFor(name, other);
    if (theirs === undefined) continue;
    const strange = messageOf(await call(who, name, argumentsFor(name, nowhere) ?? {}));
    const seen = messageOf(await call(who, name, theirs));
    expect(seen, name).toMatch(/^-32602 \w+ not found: /);
    const [named = ""] = Object.values(theirs).map(String);
    const [unnamed = ""] = Object.values(argumentsFor(name, nowhere) ?? {}).map(String);
    expect(seen.replace(named, "…"), name).toBe(strange.replace(unnamed, "…"));
    judged += 1;
  }
  expect(judged).toBeGreaterThan(10);
  expect(await call(administrator("viewer", null), "svc_get_project", { project: other.uuid })).toMatchObject({
    result: { isError: false },
  });
});

const toyOperations = ["svc_get_endpoint", "svc_delete_endpoint"].map((name) => ({
  name,
  access: { right: "write", scope: "project" } as const,
}));

test("every operation on projects names one, or is limited to its caller", async () => {
  const unplaced = operations.filter(
    ({ access, inputSchema, subject, keepsToCaller = false }) =>
      access.scope === "project" &&
      !keepsToCaller &&
      subject === "" &&
      !Object.hasOwn(inputSchema["properties"] ?? {}, "project"),
  );
  expect(unplaced.map(({ name }) => name)).toEqual([]);
});

test("naming one's own project does not open another's resource", async () => {
  const [own, other] = [await createFixture(), await createFixture()];
  const who = administrator("owner", [own.uuid]);
  const both = { project: own.uuid, endpoint: other.endpoint };
  expect(messageOf(await call(who, "svc_get_endpoint", both))).toBe("-32602 Unknown argument: project");
  const alone = { endpoint: other.endpoint };
  expect(messageOf(await call(who, "svc_get_endpoint", alone))).toContain("-32602 Endpoint not found: ");
  const rotated = { project: own.uuid, token_id: other.tokenId };
  expect(messageOf(await call(who, "svc_rotate_token", rotated))).toBe("-32602 Unknown argument: project");
  expect(messageOf(await call(who, "svc_rotate_token", { token_id: other.tokenId }))).toContain("Token not found: ");
});

test("a project's uuid is accepted in upper case, and other texts name no project", async () => {
  const own = await createFixture();
  const who = administrator("viewer", [own.uuid]);
  expect(messageOf(await call(who, "svc_list_tokens", { project: own.uuid.toUpperCase() }))).toBe("done");
  for (const project of [null, 7, {}, [own.uuid], "", "*", "%"]) {
    expect(messageOf(await call(who, "svc_list_tokens", { project })), JSON.stringify(project)).toMatch(/^-32602 /);
  }
});

test("a list of everything holds what the caller may see, page by page", async () => {
  const [own, , second] = [await createFixture(), await createFixture(), await createFixture()];
  const who = administrator("viewer", [second.uuid, own.uuid]);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const args: object = { limit: 1, ...(cursor === null ? {} : { cursor }) };
    const { result } = await call(who, "svc_list_projects", args);
    const page = result?.structuredContent as { projects: { uuid: string }[]; next_cursor: string | null };
    seen.push(...page.projects.map(({ uuid }) => uuid));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toEqual([own.uuid, second.uuid]);
  const nobody = await call(administrator("viewer", []), "svc_list_projects", {});
  expect(nobody.result?.structuredContent).toMatchObject({ projects: [] });
});

/** Expected result by the rules of roles, written independently of the code. */
function expected(who: AdminPrincipal, step: Step): Outcome {
  const [least, isGatewayWide] = rules[step.name] ?? ["owner", true];
  const isStrongEnough = adminRoles.indexOf(who.role) <= adminRoles.indexOf(least);
  if (!isStrongEnough || (isGatewayWide && who.projects !== null)) return "not allowed";
  return isGatewayWide || who.projects === null || who.projects.includes(step.fixture.uuid) ? "allowed" : "unknown";
}

interface Step {
  readonly name: string;
  readonly fixture: Fixture;
}

/** The least role, and whether it must cover the whole gateway. */
const rules: Readonly<Record<string, readonly [AdminRole, boolean]>> = {
  svc_get_project: ["viewer", false],
  svc_list_tokens: ["viewer", false],
  svc_get_token: ["viewer", false],
  svc_update_project: ["editor", false],
  svc_update_token: ["editor", false],
  svc_rotate_token: ["editor", false],
  svc_get_endpoint: ["editor", false],
  svc_create_project: ["editor", true],
  svc_list_admin_keys: ["owner", true],
  svc_create_admin_key: ["owner", true],
  svc_export_backup: ["owner", true],
};

/** Arguments of a step; creations get invalid ones, so that the number of items stays small. */
function argumentsOf({ name, fixture: { uuid, tokenId, endpoint } }: Step): object {
  if (name.endsWith("_token")) return { token_id: tokenId };
  if (name === "svc_get_endpoint") return { endpoint };
  return name.includes("project") && name !== "svc_create_project"
    ? { project: uuid }
    : name === "svc_list_tokens"
      ? { project: uuid }
      : {};
}

type Outcome = "allowed" | "not allowed" | "unknown";

function outcomeOf(message: string): Outcome {
  if (message.startsWith("-32602 Not allowed: ")) return "not allowed";
  return / not found: /.test(message) ? "unknown" : "allowed";
}

async function walkModel(seed: number, steps: number): Promise<readonly Outcome[]> {
  const fixtures = await Promise.all([createFixture(), createFixture(), createFixture()]);
  const uuids = fixtures.map(({ uuid }) => uuid);
  const who = fc
    .tuple(fc.constantFrom(...adminRoles), fc.option(fc.subarray(uuids), { nil: null }))
    .map(([role, projects]) => administrator(role, projects));
  const step = fc.record({ name: fc.constantFrom(...Object.keys(rules)), fixture: fc.constantFrom(...fixtures) });
  const seen: Outcome[] = [];
  await fc.assert(
    fc.asyncProperty(who, step, async (caller, taken) => {
      const message = messageOf(await call(caller, taken.name, argumentsOf(taken)));
      const outcome = outcomeOf(message);
      seen.push(outcome);
      expect(outcome, `${caller.name} ${taken.name}: ${message}`).toBe(expected(caller, taken));
    }),
    { numRuns: steps, seed, endOnFailure: true },
  );
  return seen;
}

test(
  `${modelSteps} random calls agree with a plain model of the rules`,
  { timeout: 60_000 + modelSteps * 20 },
  async () => {
    const steps = Math.ceil(modelSteps / walks);
    const walked = await Promise.all(
      Array.from({ length: walks }, async (_none, index) => await walkModel(modelSeed + index, steps)),
    );
    const seen = walked.flat();
    expect(seen.length).toBeGreaterThanOrEqual(modelSteps);
    for (const outcome of ["allowed", "not allowed", "unknown"] as const) {
      expect(seen.filter((each) => each === outcome).length, outcome).toBeGreaterThan(modelSteps / 20);
    }
  },
);
