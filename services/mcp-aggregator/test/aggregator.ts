import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openTestAdmin, type TestAdmin, type TestProject } from "@gatehouse/admin/testing";
import { createEgressGuard, parseEgressAllow } from "@gatehouse/egress";
import { createInProcessTransport } from "@gatehouse/events";
import { bindMemoryLedger, createMemoryLedger, type MemoryLedger } from "@gatehouse/limits/testing";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import {
  type DeepPartial,
  GuardrailServiceDefinition,
  type InspectRequest,
  type InspectResponse,
} from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally, type RpcBinding } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, untraced } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import {
  createMcpAggregatorService,
  type McpAggregatorConfig,
  type McpAggregatorDependencies,
  type UpstreamBoundsConfig,
} from "../src/program.ts";

export interface TestAggregator {
  readonly service: Service;
  readonly admin: TestAdmin;
  readonly databaseUrl: string;
  /** `http://127.0.0.1:<port>`; {@link TestAggregator.caller} sets the caller. */
  readonly origin: string;
  /** Replaces the chat service's ledger of rate limits. */
  readonly ledger: MemoryLedger;
  /** Answers questions to the guardrails; initially without a policy. */
  readonly guardrail: { inspect: (request: InspectRequest) => DeepPartial<InspectResponse> };
  stop(): Promise<void>;
}

export interface AggregatorOptions {
  readonly databaseUrl?: string;
  readonly bounds?: Partial<UpstreamBoundsConfig>;
  readonly config?: Partial<McpAggregatorConfig>;
  readonly overrides?: Partial<McpAggregatorDependencies>;
}

const keyring = { currentId: "test", keys: new Map([["test", Buffer.alloc(32, 7)]]) };

export const testBounds: UpstreamBoundsConfig = {
  connectTimeoutMs: 2_000,
  listTotalTimeoutMs: 7_500,
  idleTimeoutMs: 60_000,
  handshakeTimeoutMs: 5_000,
  replyBytesMax: 16 * 1024 * 1024,
  sessionIdleMs: 300_000,
  sessionsMax: 1_000,
  connectionsMax: 256,
};

/** A started aggregator on a real Postgres, which may call loopback addresses, behind a separate HTTP port. */
export async function startAggregator(options: AggregatorOptions = {}): Promise<TestAggregator> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? "";
  const ledger = createMemoryLedger();
  const guardrail: TestAggregator["guardrail"] = { inspect: () => ({ policyAbsent: true }) };
  const config: McpAggregatorConfig = {
    databaseUrl: new Secret(databaseUrl),
    databaseConnectionsMax: 5,
    keyring,
    serviceName: "Gatehouse",
    guardrailTimeoutMs: 2_000,
    bodySizeBytesMax: 4 * 1024 * 1024,
    bodyTimeoutMs: 5_000,
    upstreamBounds: { ...testBounds, ...options.bounds },
    ...options.config,
  };
  const service = createMcpAggregatorService(config, {
    telemetry: createSilentTelemetry(),
    ledger: connectLocally(bindMemoryLedger(ledger)),
    guardrail: connectLocally(bindGuardrail(guardrail)),
    events: createInProcessTransport(),
    guard: createEgressGuard({ allow: parseEgressAllow("127.0.0.1/32,localhost") }),
    ...options.overrides,
  });
  await service.start();
  const server = await listen(service);
  const [binding] = service.rpc as unknown as [RpcBinding<typeof AdminServiceDefinition>];
  return {
    service,
    admin: openTestAdmin(binding),
    databaseUrl,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ledger,
    guardrail,
    async stop() {
      server.close();
      server.closeAllConnections();
      await service.stop();
      await database?.drop();
    },
  };
}

function bindGuardrail(guardrail: TestAggregator["guardrail"]) {
  return bindRpc(GuardrailServiceDefinition, {
    consult: async () => await Promise.resolve({}),
    inspect: async (request) => await Promise.resolve(guardrail.inspect(request)),
    inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
  });
}

/** Simulates the router: headers of the test set the caller. */
async function listen(service: Service): Promise<Server> {
  const server = createServer((req, res) => {
    const span = untraced.start("test", { kind: "server" });
    const caller = JSON.parse(String(req.headers["x-test-caller"] ?? "{}")) as Partial<Caller>;
    const principal = toPrincipal({ projectUuid: "", tokenId: 1, perHour: null, ...caller });
    void service.http?.(req, res, { principal, requestId: randomUUID(), ipAddress: "127.0.0.1", span });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export interface Caller {
  readonly projectUuid: string;
  readonly tokenId: number;
  readonly perHour: number | null;
}

function toPrincipal({ projectUuid, tokenId, perHour }: Caller): TokenPrincipal {
  const rateLimits = { perMinute: null, perHour };
  return {
    kind: "token",
    tokenId,
    tokenName: `token ${tokenId}`,
    environment: "live",
    scopes: ["mcp"],
    rateLimits: { perMinute: null, perHour: null },
    project: { id: 1, uuid: projectUuid, name: "tools", projectType: "mcp_gateway", rateLimits },
  };
}

export function callerHeaders(caller: Partial<Caller>): Record<string, string> {
  return { "x-test-caller": JSON.stringify(caller), "content-type": "application/json" };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface PostOptions {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

/** Sends a body to the MCP route, as the router would. */
export async function post(
  aggregator: TestAggregator,
  caller: Partial<Caller>,
  request: PostOptions & { readonly body?: string | Buffer },
): Promise<HttpAnswer> {
  const { headers, method = "POST", body, signal } = request;
  const reply = await fetch(`${aggregator.origin}/api/${caller.projectUuid ?? ""}/mcp`, {
    method,
    headers: { ...callerHeaders(caller), ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

export interface RpcReply {
  readonly id?: unknown;
  readonly result?: {
    readonly tools?: readonly { readonly name: string; readonly description: string; readonly inputSchema: object }[];
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
    readonly [member: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export async function ask(
  aggregator: TestAggregator,
  caller: Partial<Caller>,
  message: { readonly method: string; readonly params?: unknown; readonly id?: unknown; readonly signal?: AbortSignal },
): Promise<RpcReply> {
  const { method, params, id = 1, signal } = message;
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  return JSON.parse(
    (await post(aggregator, caller, { body, ...(signal === undefined ? {} : { signal }) })).text,
  ) as RpcReply;
}

export async function toolNames(aggregator: TestAggregator, caller: Partial<Caller>): Promise<string[]> {
  const { result, error } = await ask(aggregator, caller, { method: "tools/list" });
  if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
  return (result?.tools ?? []).map(({ name }) => name);
}

export async function callTool(
  aggregator: TestAggregator,
  caller: Partial<Caller>,
  tool: { readonly name: string; readonly arguments?: object },
): Promise<RpcReply> {
  return await ask(aggregator, caller, { method: "tools/call", params: tool });
}

export function newProject(tokenId = 1): Caller {
  return { projectUuid: randomUUID(), tokenId, perHour: null };
}

export interface RegisterOptions {
  readonly prefix?: string;
  readonly bearerToken?: string;
  readonly settings?: object;
}

export async function register(
  aggregator: TestAggregator,
  caller: Partial<Caller>,
  upstream: RegisterOptions & { readonly url: string },
) {
  const { prefix = `p${randomBytes(4).toString("hex")}`, url, bearerToken, settings = {} } = upstream;
  const input = {
    project: caller.projectUuid ?? "",
    prefix,
    url,
    ...settings,
    ...(bearerToken === undefined ? {} : { bearer_token: bearerToken }),
  };
  return await aggregator.admin.call<ShownUpstream>("svc_create_upstream", input, toTestProject(input.project));
}

/** An upstream as administrators see it. */
export interface ShownUpstream {
  readonly id: number;
  readonly has_bearer_token: boolean;
  readonly state: {
    readonly health: string;
    readonly changed_tools: readonly string[];
    readonly quarantined_tools: readonly { readonly name: string; readonly reason: string }[];
    readonly last_error: string | null;
  };
}

export function toTestProject(uuid: string): TestProject {
  return { id: 7, uuid, name: "tools", projectType: "mcp_gateway" };
}

export async function listUpstreams({ admin }: TestAggregator, { projectUuid }: Caller) {
  const project = toTestProject(projectUuid);
  const input = { project: projectUuid };
  return await admin.call<{ readonly upstreams: readonly ShownUpstream[] }>("svc_list_upstreams", input, project);
}
