import { randomUUID } from "node:crypto";
import pg from "pg";
import { chatCall, postRequest, type Call } from "../call.ts";
import { textOf } from "../control-plane.ts";
import { runLoad } from "../load.ts";
import type { Stage } from "../measure.ts";
import type { Bench } from "../scenario.ts";
import type { Gatehouse } from "../systems/gatehouse.ts";
import type { McpServers } from "../systems/mcp-server.ts";
import type { PrivateGatehouse } from "../systems/private-gatehouse.ts";
import { createMcpSubject } from "./mcp.ts";
import { multiplyAuditLog, multiplyGatewayLog } from "./stored-rows.ts";

/** A kind of stored object, and a call whose cost must not depend on their number. */
export interface StoredKind {
  /** Plural noun, with the called operation. */
  readonly name: string;
  readonly little: number;
  readonly much: number;
  readonly stage: Stage;
  /** Stores `count` objects, and returns the request to repeat. */
  prepare(own: PrivateGatehouse, count: number): Promise<Buffer>;
}

/** Tools of each of the bench's MCP servers. */
const toolsEach = 40;
/** Turns that fill a session's bound of a hundred messages, so that both sessions load equally many. */
const fewTurns = 50;
const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };

const toolCall: Call = { name: "tool", model: "", stream: false, marker: "Echo: hello", markers: 1, end: "" };
const operation: Call = {
  name: "operation",
  model: "",
  stream: false,
  marker: "structuredContent",
  markers: 1,
  end: "",
};

/** All kinds; those that fill tables come last. */
export function createStoredKinds(bench: Bench, servers: McpServers): readonly StoredKind[] {
  return [keywords, tools(servers), sessionTurns(bench), webhooks, auditRows, logRows(bench), callsBesideLogRows];
}

const keywords: StoredKind = {
  name: "keywords of a policy, a call under it",
  little: 10,
  much: 10_000,
  stage: { name: "stored: keywords", call: chatCall, connections: 64, unit: "call" },
  async prepare({ gatehouse }, count) {
    const forbidden = Array.from({ length: count }, (_, index) => `forbidden word ${index}`);
    const subject = await gatehouse.createSubject({ name: "keywords", guardrails: { keywords: forbidden } });
    return await subject.prepare(chatCall);
  },
};

function tools({ origin }: McpServers): StoredKind {
  return {
    name: "tools of upstreams, a call of one",
    little: toolsEach,
    much: 200 * toolsEach,
    stage: { name: "stored: tools", call: toolCall, connections: 16, unit: "call" },
    async prepare({ gatehouse }, count) {
      const paths = Array.from({ length: count / toolsEach }, (_, index) => `/list/${index}`);
      const params = { name: "u0__tool_0", arguments: { path: "/" } };
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const subject = await createMcpSubject(gatehouse, origin, { paths, body });
      return await subject.prepare(toolCall);
    },
  };
}

function sessionTurns({ toolkit }: Bench): StoredKind {
  return {
    name: "turns of a session, the next one",
    little: fewTurns,
    much: 1_000,
    stage: { name: "stored: session turns", call: chatCall, connections: 1, unit: "call" },
    async prepare({ gatehouse }, count) {
      const subject = await gatehouse.createSubject({ name: "session", body: { session_id: randomUUID() } });
      const request = await subject.prepare(chatCall);
      const turn = { port: subject.port, request, call: chatCall, connections: 1 };
      await runLoad(toolkit, { ...turn, requestsMax: count, seconds: 120 });
      return request;
    },
  };
}

const webhooks: StoredKind = {
  name: "webhooks of a project, a change of it",
  little: 1,
  much: 100,
  stage: { name: "stored: webhooks", call: operation, connections: 1, unit: "call" },
  async prepare({ gatehouse }, count) {
    const project = await createProject(gatehouse);
    for (let index = 0; index < count; index++) {
      // Nothing listens there, and no such event occurs.
      const webhook = { project, name: `receiver ${index}`, url: "http://127.0.0.1:9/", events: ["token.deleted"] };
      await gatehouse.controlPlane.call("svc_create_webhook", webhook);
    }
    return await operationRequest(gatehouse, "svc_update_project", { project, name: "Stored" });
  },
};

const auditRows: StoredKind = {
  name: "events of a project, its newest 50",
  little: 100,
  much: 1_000_000,
  stage: { name: "stored: audit log", call: operation, connections: 4, unit: "call" },
  async prepare({ gatehouse, databaseUrl }, count) {
    const project = await createProject(gatehouse);
    await withClient(databaseUrl, async (client) => await multiplyAuditLog(client, project, count));
    return await operationRequest(gatehouse, "svc_query_audit_log", { project, limit: 50 });
  },
};

function logRows({ toolkit }: Bench): StoredKind {
  return {
    name: "calls in the gateway log, the newest 50 of a project",
    little: 10_000,
    much: 10_000_000,
    stage: { name: "stored: gateway log", call: operation, connections: 4, unit: "call" },
    async prepare({ gatehouse, databaseUrl }, count) {
      const subject = await gatehouse.createSubject({ name: "log" });
      const request = await subject.prepare(chatCall);
      const some = { port: subject.port, request, call: chatCall, connections: 64, requestsMax: 1_000 };
      await runLoad(toolkit, { ...some, seconds: 60 });
      const project = await withClient(databaseUrl, async (client) => await multiplyGatewayLog(client, count));
      return await operationRequest(gatehouse, "svc_query_gateway_log", { project, limit: 50 });
    },
  };
}

/** After `logRows`, whose table it uses. */
const callsBesideLogRows: StoredKind = {
  name: "calls in the gateway log, the next ones",
  little: 10_000,
  much: 10_000_000,
  stage: { name: "stored: calls beside the log", call: chatCall, connections: 64, unit: "call" },
  prepare: async ({ gatehouse }) => await (await gatehouse.createSubject({ name: "calls" })).prepare(chatCall),
};

async function createProject({ controlPlane }: Gatehouse): Promise<string> {
  const definition = { name: "Stored", project_type: "ai_gateway", ...unlimited };
  return textOf(await controlPlane.call("svc_create_project", definition), "uuid");
}

/** A request for an operation of the Control Plane, by an admin key made for it. */
async function operationRequest({ controlPlane }: Gatehouse, name: string, args: object): Promise<Buffer> {
  const made = await controlPlane.call("svc_create_admin_key", { name: `bench ${randomUUID()}`, role: "owner" });
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  return postRequest("/control/mcp", body, { authorization: `Bearer ${textOf(made, "key")}` });
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
