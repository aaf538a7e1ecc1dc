import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createResultCheck } from "@gatehouse/admin/testing";
import { parseEgressAllow } from "@gatehouse/egress";
import { createInProcessTransport, type EventTransport } from "@gatehouse/events";
import type { GatewayLog } from "@gatehouse/gateway-log";
import type { JsonObject } from "@gatehouse/json-rpc";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import type { Principal, RouterFacts } from "@gatehouse/principal";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { connectLocally, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import type { RelayPlace, Service } from "@gatehouse/service";
import { createSilentTelemetry, type Telemetry, untraced } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { operations } from "../src/admin/operations.ts";
import { idempotencyKeyName } from "../src/operations/call-key.ts";
import { type ControlPlaneConfig, type ControlPlaneDependencies, createControlPlaneService } from "../src/program.ts";
import { createToyEndpoints, type ToyEndpoints } from "./toy-endpoints.ts";

const checkResult = createResultCheck(operations);

export const admin: Principal = { kind: "admin", adminKeyId: 1, name: "initial", role: "owner", projects: null };

export interface TestControlPlane {
  readonly service: Service;
  readonly endpoints: ToyEndpoints;
  readonly principals: RpcClient<typeof PrincipalServiceDefinition>;
  readonly databaseUrl: string;
  /** Plaintexts passed to the host, in order. */
  readonly adminKeys: readonly string[];
  stop(): Promise<void>;
}

export interface TestOptions {
  readonly config?: Partial<ControlPlaneConfig>;
  /** Another replica's database; by default a new one. */
  readonly databaseUrl?: string;
  readonly wallNow?: () => number;
  /** Destination of events; by default they are dropped. */
  readonly events?: EventTransport;
  readonly gatewayLog?: GatewayLog;
  readonly telemetry?: Telemetry;
  readonly relays?: RelayPlace;
  /** Services provided by the test; absent ones refuse every call. */
  readonly peers?: Partial<Pick<ControlPlaneDependencies, "owners" | "ownAddresses" | "services">>;
}

/** A started control plane on a real Postgres, with an in-memory owner of endpoints. */
export async function startControlPlane(options: TestOptions = {}): Promise<TestControlPlane> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? "";
  const endpoints = createToyEndpoints();
  const adminKeys: string[] = [];
  const config: ControlPlaneConfig = {
    databaseUrl: new Secret(databaseUrl),
    databaseConnectionsMax: 5,
    serviceName: "Gatehouse",
    adminKey: undefined,
    adminKeyEnabled: true,
    bodySizeBytesMax: 4 * 1024 * 1024,
    bodyTimeoutMs: 5_000,
    signIn: { publicUrl: undefined, providers: [] },
    sessions: { idleMs: 60_000, lifeMs: 600_000 },
    egress: { allow: parseEgressAllow("127.0.0.0/8") },
    ...options.config,
  };
  const service = createControlPlaneService(config, {
    telemetry: options.telemetry ?? createSilentTelemetry(),
    ...(options.relays === undefined ? {} : { relays: options.relays }),
    events: options.events ?? createInProcessTransport(),
    owners: [endpoints.owner],
    services: [],
    ...options.peers,
    ...(options.gatewayLog === undefined ? {} : { gatewayLog: options.gatewayLog }),
    onAdminKeyCreated: (key) => adminKeys.push(key.reveal()),
    ...(options.wallNow === undefined ? {} : { wallNow: options.wallNow }),
  });
  await service.start();
  return {
    service,
    endpoints,
    databaseUrl,
    adminKeys,
    principals: connectLocally(findPrincipals(service)),
    async stop() {
      await service.stop();
      await database?.drop();
    },
  };
}

export function findPrincipals(service: Service): RpcBinding<typeof PrincipalServiceDefinition> {
  const binding = service.rpc.find(({ definition }) => definition === PrincipalServiceDefinition);
  if (binding === undefined) throw new Error("The service does not answer PrincipalService.");
  return binding as unknown as RpcBinding<typeof PrincipalServiceDefinition>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface HttpRequest {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly principal?: Principal;
  readonly router?: RouterFacts;
}

/** Sends one request to the service's HTTP handler over a socket, as the router would. */
export async function send(service: Service, request: HttpRequest): Promise<HttpAnswer> {
  const { method = "POST", path = "/control/mcp", body, principal = admin, router } = request;
  const server = createServer((req, res) => {
    const span = untraced.start("test", { kind: "server" });
    void service.http?.(req, res, { principal, requestId: randomUUID(), ipAddress: "127.0.0.1", span, router });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const reply = await fetch(url, { method, ...(body === undefined ? {} : { body }) });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

export interface RpcAnswer {
  readonly result?: JsonObject & { readonly structuredContent?: JsonObject };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The body of one call, with an optional idempotency key. */
export function bodyOf(name: string, args: unknown, key?: unknown): string {
  const meta = key === undefined ? {} : { _meta: { [idempotencyKeyName]: key } };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, ...meta } });
}

/** Calls one operation and returns the JSON-RPC reply. */
export async function call(service: Service, name: string, args: unknown): Promise<RpcAnswer> {
  return JSON.parse((await send(service, { body: bodyOf(name, args) })).text) as RpcAnswer;
}

/** Calls one operation that must succeed. */
export async function run<T = Record<string, unknown>>(service: Service, name: string, args: unknown): Promise<T> {
  const { result, error } = await call(service, name, args);
  if (error !== undefined) throw new Error(`${name}: ${error.code} ${error.message}`);
  return checkResult(name, result?.structuredContent) as T;
}

/** Calls one operation that must be refused; returns code and message. */
export async function refusal(service: Service, name: string, args: unknown): Promise<string> {
  const { error } = await call(service, name, args);
  return error === undefined ? "not refused" : `${error.code} ${error.message}`;
}
