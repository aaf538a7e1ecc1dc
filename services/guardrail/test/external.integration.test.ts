import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestAdmin } from "@gatehouse/admin/testing";
import { openDatabase } from "@gatehouse/database";
import { parseEgressAllow } from "@gatehouse/egress";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { RpcClient } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGuardrail } from "./start-guardrail.ts";

const secret = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";

const secretOf = (key: string): string => `whsec_${Buffer.from(key.padEnd(32)).toString("base64")}`;

let database: TestDatabase;
let service: Service;
let guardrail: RpcClient<typeof GuardrailServiceDefinition>;
let admin: TestAdmin;
let base: string;
/** The behaviour of the guardrail elsewhere. */
let answer: (req: IncomingMessage, res: ServerResponse, body: string) => void;

const elsewhere = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => answer(req, res, Buffer.concat(chunks).toString()));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const { port } = elsewhere.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  database = await createTestDatabase();
  ({ service, guardrail, admin } = await startGuardrail(database, parseEgressAllow(`127.0.0.1:${port}`)));
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  elsewhere.closeAllConnections();
  await new Promise((resolve) => elsewhere.close(resolve));
});

function newProject() {
  const projectUuid = randomUUID();
  return { projectUuid, within: { id: 7, uuid: projectUuid, name: "Shop" } };
}

type Project = ReturnType<typeof newProject>;

async function set({ projectUuid, within }: Project, external: object) {
  const entry = { name: "own", kind: "http", url: `${base}/judge`, ...external };
  return await admin.call("svc_set_guardrails", { project: projectUuid, external: [entry] }, within);
}

async function consult({ projectUuid }: Project, texts: readonly string[]) {
  const question = { projectUuid, side: "SIDE_INPUT", texts: texts.map((text) => ({ role: "user", text })) } as const;
  return await guardrail.consult({ question });
}

function json(res: ServerResponse, value: unknown): void {
  res.setHeader("content-type", "application/json").end(JSON.stringify(value));
}

test("a question is signed with the saved secret, and replacements come back with their places", async () => {
  const project = newProject();
  const saved = await set(project, { secret });
  expect(JSON.stringify(saved)).not.toContain(secret);
  expect(saved["external"]).toEqual([expect.objectContaining({ name: "own", secret_kept: true }) as object]);
  let verified: unknown;
  answer = (req, res, body) => {
    verified = new Webhook(secret).verify(body, req.headers as Record<string, string>);
    json(res, { action: "replace", texts: [{ index: 0, text: "call [me]" }] });
  };
  expect(await consult(project, ["call Ann"])).toMatchObject({
    blocked: false,
    maskedTexts: ["call [me]"],
    maskedSpans: [{ textIndex: 0, start: 5, end: 8, label: "[me]", isVerbatim: true }],
    findings: [{ detector: "external", label: "own" }],
  });
  expect(verified).toMatchObject({ project: project.projectUuid, texts: [{ role: "user", text: "call Ann" }] });
  const inspected = await guardrail.inspect({ projectUuid: project.projectUuid, side: "SIDE_INPUT" });
  expect([inspected.consultMs, inspected.parallelConsultMs]).toEqual([2_000, 0]);
});

test("a secret is stored sealed, kept with its URL, and deleted with its policy", async () => {
  const project = newProject();
  const stored = async () => {
    const { log } = createSilentTelemetry();
    const connection = openDatabase({ url: new Secret(database.url), schema: "guardrail", connectionsMax: 1, log });
    const sql = "SELECT sealed FROM external_secrets WHERE project_uuid = $1";
    const { rows } = await connection.pool.query<{ sealed: string }>(sql, [project.projectUuid]);
    await connection.close();
    return rows.map(({ sealed }) => sealed);
  };
  await set(project, { secret });
  const [first = ""] = await stored();
  expect(first).toMatch(/^v1\.a\./);
  await set(project, { secret_kept: true, timeout_ms: 100 });
  expect(await stored()).toEqual([first]);
  await expect(set(project, { secret_kept: true, url: `${base}/other` })).rejects.toThrow(/send it again/);
  await set(project, {});
  expect(await stored()).toEqual([]);
});

test("concurrent changes never save a policy that keeps a removed secret", async () => {
  const project = newProject();
  for (let round = 0; round < 6; round += 1) {
    await set(project, { secret: secretOf(`first ${round}`) });
    const changes = [
      set(project, { secret: secretOf(`second ${round}`) }),
      set(project, { secret_kept: true, timeout_ms: 100 + round }),
    ];
    for (const result of await Promise.allSettled(changes)) {
      if (result.status === "rejected") expect(String(result.reason)).toContain("another change has just removed");
    }
    let isSigned = false;
    answer = (req, res) => {
      isSigned = typeof req.headers["webhook-signature"] === "string";
      json(res, { action: "allow" });
    };
    expect(await consult(project, ["hi"])).toMatchObject({ isRefused: false });
    expect(isSigned).toBe(true);
  }
});

test("a forbidden address is refused when it is saved", async () => {
  await expect(set(newProject(), { url: "http://127.0.0.1:1/" })).rejects.toThrow(/SSRF/);
});

test.each<[string, (req: IncomingMessage, res: ServerResponse) => void]>([
  ["does not answer in time", () => {}],
  ["answers with another status", (_req, res) => void res.writeHead(500).end("{}")],
  ["sends elsewhere", (_req, res) => void res.writeHead(302, { location: "http://127.0.0.1/" }).end()],
  ["answers with no JSON", (_req, res) => void res.end("<html>")],
  ["answers in an unknown form", (_req, res) => json(res, { action: "maybe" })],
  ["names a key twice", (_req, res) => void res.end('{"action":"block","action":"allow"}')],
  ["nests its reply", (_req, res) => void res.end("[".repeat(100_000))],
  ["has an endless reply", (_req, res) => void res.end(Buffer.alloc(9 * 1024 * 1024, 32))],
  ["breaks off", (req) => void req.socket.destroy()],
])("a guardrail that %s refuses calls or lets them pass, as the policy says", async (_, behaviour) => {
  answer = behaviour;
  const closed = newProject();
  await set(closed, { timeout_ms: 250 });
  expect(await consult(closed, ["hi"])).toMatchObject({ blocked: false, isRefused: true });
  const open = newProject();
  await set(open, { timeout_ms: 250, on_failure: "open" });
  expect(await consult(open, ["hi"])).toMatchObject({ blocked: false, isRefused: false });
});

test("Presidio's masks are numbered if masks are reversible, and not where values are not restored", async () => {
  const project = newProject();
  const { projectUuid, within } = project;
  const external = [{ name: "names", kind: "presidio", url: `${base}/analyze` }];
  const policy = { project: projectUuid, external, reversible_masks: true, surfaces: ["chat", "api"] };
  await admin.call("svc_set_guardrails", policy, within);
  answer = (_req, res, body) => {
    const { text } = JSON.parse(body) as { readonly text: string };
    const finds = [...text.matchAll(/Ann|Bob|\[E-Mail 1\]/g)].map(({ 0: name, index }) => {
      return { entity_type: "PERSON", start: index, end: index + name.length, score: 1 };
    });
    json(res, finds);
  };
  const ask = async (surface: "SURFACE_CHAT" | "SURFACE_API") => {
    const texts = ["Ann [PERSON 1]", "Bob, Ann, [E-Mail 1]"].map((text) => ({ role: "user", text }));
    const placeholders = [{ label: "E-Mail 1", value: "ann@example.com" }];
    return await guardrail.consult({ question: { projectUuid, side: "SIDE_INPUT", surface, texts, placeholders } });
  };
  expect(await ask("SURFACE_CHAT")).toMatchObject({
    maskedTexts: ["[PERSON 2] [PERSON 1]", "[PERSON 3], [PERSON 2], [PERSON]"],
    placeholders: [
      { label: "E-Mail 1", value: "ann@example.com" },
      { label: "PERSON 2", value: "Ann" },
      { label: "PERSON 3", value: "Bob" },
    ],
  });
  expect(await ask("SURFACE_API")).toMatchObject({
    maskedTexts: ["[PERSON] [PERSON 1]", "[PERSON], [PERSON], [PERSON]"],
    placeholders: [],
  });
});
