import { randomBytes, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { openTestAdmin, type TestAdmin } from "@gatehouse/admin/testing";
import { parseEgressAllow } from "@gatehouse/egress";
import { createInProcessTransport } from "@gatehouse/events";
import { createRecordingGatewayLog, type RecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { type HttpServer, startHttpServer } from "@gatehouse/http";
import { bindMemoryLedger, createMemoryLedger, type MemoryLedger } from "@gatehouse/limits/testing";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import type { RequestContext, TokenPrincipal } from "@gatehouse/principal";
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
import { type Keyring, Secret } from "@gatehouse/vault";
import { type ApiProxyConfig, createApiProxyService } from "../src/program.ts";

export type Given = Readonly<Record<string, unknown>>;

/** Fields of an endpoint and of a connection that tests read. */
export interface ShownEndpoint extends Given {
  readonly uuid: string;
  readonly slug: string;
  readonly warning?: string;
}
export interface ShownConnection extends Given {
  readonly id: number;
}

/** Operations on the kit's project. */
export interface Admin extends Pick<TestAdmin, "describe" | "findProject"> {
  call<Result = Given>(name: string, input: Given): Promise<Result>;
  endpoints(): Promise<readonly ShownEndpoint[]>;
  connections(): Promise<readonly ShownConnection[]>;
}

/** The service behind an HTTP server that simulates the router, with one project's token for every request. */
export interface ProxyKit {
  readonly origin: string;
  readonly port: number;
  readonly admin: Admin;
  readonly service: Service;
  readonly principal: TokenPrincipal;
  readonly gatewayLog: RecordingGatewayLog;
  /** Replies of all requests, oldest first. */
  readonly replies: readonly ServerResponse[];
  /** The path of an endpoint of the kit's project. */
  pathOf(slug: string, rest?: string): string;
  createEndpoint(definition: Given): Promise<string>;
  createEndpointWithWarning(definition: Given): Promise<ShownEndpoint>;
  createConnection(connection: Given): Promise<number>;
  close(): Promise<void>;
}

export interface KitOptions {
  readonly database: TestDatabase;
  readonly allow?: string;
  readonly proxy?: Partial<ApiProxyConfig["proxy"]>;
  /** Replaces the chat service's ledger of rate limits. */
  readonly ledger?: MemoryLedger;
  readonly keyring?: Keyring;
  /** Answers questions to the guardrails; absent: no policy. */
  readonly inspect?: (request: InspectRequest) => DeepPartial<InspectResponse>;
  readonly project?: TokenPrincipal["project"];
}

export const testKeyring: Keyring = { currentId: "k", keys: new Map([["k", randomBytes(32)]]) };

const unlimited = { perMinute: null, perHour: null };

export function newProject(rateLimits: TokenPrincipal["rateLimits"] = unlimited): TokenPrincipal["project"] {
  return { id: 7, uuid: randomUUID(), name: "Weather", projectType: "api_gateway", rateLimits };
}

export async function startProxyKit(options: KitOptions): Promise<ProxyKit> {
  const { database, allow = "127.0.0.1", ledger = createMemoryLedger(), project = newProject() } = options;
  const gatewayLog = createRecordingGatewayLog();
  const service = createApiProxyService(
    {
      databaseUrl: new Secret(database.url),
      databaseConnectionsMax: 5,
      keyring: options.keyring ?? testKeyring,
      egress: { allow: parseEgressAllow(allow) },
      ownAddresses: [],
      proxy: { ...bounds, ...options.proxy },
      guardrailTimeoutMs: 2_000,
    },
    {
      telemetry: createSilentTelemetry(),
      ledger: connectLocally(bindMemoryLedger(ledger)),
      guardrail: connectLocally(bindGuardrail(options.inspect ?? (() => ({ policyAbsent: true })))),
      events: createInProcessTransport(),
      gatewayLog,
    },
  );
  await service.start();
  const principal = tokenOf(project);
  const replies: ServerResponse[] = [];
  const server = await serve(service, principal, replies);
  const admin = openAdmin(service, project);
  return {
    origin: `http://127.0.0.1:${server.port}`,
    port: server.port,
    admin,
    service,
    principal,
    gatewayLog,
    replies,
    pathOf: (slug, rest = "") => `/api/${project.uuid}/${slug}${rest}`,
    ...creators(admin, project),
    async close() {
      await server.stop(0);
      await service.stop();
    },
  };
}

/** A policy that masks `a@b.example`, and blocks `falcon` with this message. */
export function maskingAndBlocking(message: string): (request: InspectRequest) => DeepPartial<InspectResponse> {
  const mail = "a@b.example";
  return ({ texts }) => {
    const given = texts.map(({ text }) => text);
    if (given.some((text) => text.includes("falcon"))) return { blocked: true, reason: "keyword", message };
    const maskedSpans = given.flatMap((text, textIndex) => {
      const start = text.indexOf(mail);
      return start < 0 ? [] : [{ textIndex, start, end: start + mail.length, label: "E-Mail" }];
    });
    return {
      maskedSpans,
      maskedTexts: maskedSpans.length === 0 ? [] : given.map((text) => text.replace(mail, "[E-Mail]")),
    };
  };
}

function bindGuardrail(inspect: NonNullable<KitOptions["inspect"]>) {
  return bindRpc(GuardrailServiceDefinition, {
    consult: async () => await Promise.resolve({}),
    inspect: async (request) => await Promise.resolve(inspect(request)),
    inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
  });
}

const bounds: ApiProxyConfig["proxy"] = {
  bodySizeBytesMax: 0,
  connectTimeoutMs: 2_000,
  headersTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  upgradeIdleTimeoutMs: 5_000,
  connectionsMax: 128,
  allowanceTimeoutMs: 1_000,
  oauthTimeoutMs: 5_000,
};

function tokenOf(project: TokenPrincipal["project"]): TokenPrincipal {
  const named = { tokenId: 3, tokenName: "tester", environment: "live" } as const;
  return { kind: "token", ...named, scopes: ["proxy"], rateLimits: unlimited, project };
}

async function serve(service: Service, principal: TokenPrincipal, replies: ServerResponse[]): Promise<HttpServer> {
  return await startHttpServer(
    (req, res) => {
      replies.push(res);
      const requestId = `req-${randomUUID()}`;
      res.setHeader("x-request-id", requestId);
      const span = untraced.start("router", { kind: "server", parent: req.headers["traceparent"] as string });
      const { host } = req.headers;
      const context: RequestContext = { requestId, principal, ipAddress: "203.0.113.9", host, span };
      void service.http?.(req, res, context);
    },
    { host: "127.0.0.1", port: 0, upgrades: true },
  );
}

function openAdmin({ rpc }: Service, project: TokenPrincipal["project"]): Admin {
  const [binding] = rpc as unknown as [RpcBinding<typeof AdminServiceDefinition>];
  const { call, describe, findProject } = openTestAdmin(binding);
  const run = async <Result>(name: string, input: Given) => await call<Result>(name, input, project);
  const whole = { project: project.uuid, limit: 200 };
  return {
    describe,
    findProject,
    call: run,
    endpoints: async () => (await run<{ endpoints: ShownEndpoint[] }>("svc_list_endpoints", whole)).endpoints,
    connections: async () =>
      (await run<{ oauth_connections: ShownConnection[] }>("svc_list_oauth_connections", whole)).oauth_connections,
  };
}

function creators(admin: Admin, { uuid: project }: TokenPrincipal["project"]) {
  const newName = (letter: string) => `${letter}-${randomUUID().slice(0, 8)}`;
  const makeEndpoint = async (definition: Given) => {
    const full = { project, slug: newName("e"), allowed_methods: ["GET"], ...definition };
    return await admin.call<ShownEndpoint>("svc_create_endpoint", full);
  };
  return {
    createEndpoint: async (definition: Given) => (await makeEndpoint(definition)).slug,
    createEndpointWithWarning: makeEndpoint,
    async createConnection(connection: Given): Promise<number> {
      const full = { project, name: newName("c"), ...connection };
      return (await admin.call<ShownConnection>("svc_create_oauth_connection", full)).id;
    },
  };
}
