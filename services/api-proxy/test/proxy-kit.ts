import { randomBytes, randomUUID } from "node:crypto";
import { originMetadata } from "@gatehouse/audit";
import { parseEgressAllow } from "@gatehouse/egress";
import { createInProcessTransport } from "@gatehouse/events";
import { createRecordingGatewayLog, type RecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { type HttpServer, startHttpServer } from "@gatehouse/http";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import type { RequestContext, TokenPrincipal } from "@gatehouse/principal";
import type {
  ApiProxyAdminServiceDefinition,
  CreateOauthConnectionRequest,
  EndpointDefinition,
} from "@gatehouse/proto/api-proxy";
import { connectLocally, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, untraced } from "@gatehouse/telemetry";
import { type Keyring, Secret } from "@gatehouse/vault";
import type { AllowanceClient } from "../src/clients/allowances.ts";
import { type ApiProxyConfig, createApiProxyService } from "../src/index.ts";

export type Admin = RpcClient<typeof ApiProxyAdminServiceDefinition>;

/** The service behind an HTTP server that stands for the router: it lets everything through, as one project's token. */
export interface ProxyKit {
  readonly origin: string;
  readonly port: number;
  readonly admin: Admin;
  readonly service: Service;
  readonly principal: TokenPrincipal;
  readonly gatewayLog: RecordingGatewayLog;
  /** The path of an endpoint of the kit's project. */
  pathOf(slug: string, rest?: string): string;
  createEndpoint(definition: Partial<EndpointDefinition>): Promise<string>;
  createEndpointWithWarning(
    definition: Partial<EndpointDefinition>,
  ): Promise<{ readonly slug: string; readonly warning: string | undefined }>;
  createConnection(connection: Partial<CreateOauthConnectionRequest>): Promise<number>;
  close(): Promise<void>;
}

export interface KitOptions {
  readonly database: TestDatabase;
  readonly allow?: string;
  readonly proxy?: Partial<ApiProxyConfig["proxy"]>;
  readonly allowances?: AllowanceClient;
  readonly keyring?: Keyring;
  readonly project?: TokenPrincipal["project"];
}

export const testKeyring: Keyring = { currentId: "k", keys: new Map([["k", randomBytes(32)]]) };

const unlimited = { perMinute: null, perHour: null };

export function newProject(rateLimits: TokenPrincipal["rateLimits"] = unlimited): TokenPrincipal["project"] {
  return { id: 7, uuid: randomUUID(), name: "Weather", projectType: "api_gateway", rateLimits };
}

const nobodyAsks = { admit: async () => await Promise.reject(new Error("Nothing is limited.")) } as AllowanceClient;

export async function startProxyKit(options: KitOptions): Promise<ProxyKit> {
  const { database, allow = "127.0.0.1", allowances = nobodyAsks, project = newProject() } = options;
  const gatewayLog = createRecordingGatewayLog();
  const service = createApiProxyService(
    {
      databaseUrl: new Secret(database.url),
      databaseConnectionsMax: 5,
      keyring: options.keyring ?? testKeyring,
      egress: { allow: parseEgressAllow(allow) },
      ownAddresses: [],
      proxy: { ...bounds, ...options.proxy },
    },
    { telemetry: createSilentTelemetry(), allowances, events: createInProcessTransport(), gatewayLog },
  );
  await service.start();
  const principal = tokenOf(project);
  const server = await serve(service, principal);
  const admin = connectLocally(service.rpc[0] as unknown as RpcBinding<typeof ApiProxyAdminServiceDefinition>);
  return {
    origin: `http://127.0.0.1:${server.port}`,
    port: server.port,
    admin,
    service,
    principal,
    gatewayLog,
    pathOf: (slug, rest = "") => `/api/${project.uuid}/${slug}${rest}`,
    ...creators(admin, project),
    async close() {
      await server.stop(0);
      await service.stop();
    },
  };
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

async function serve(service: Service, principal: TokenPrincipal): Promise<HttpServer> {
  return await startHttpServer(
    (req, res) => {
      const requestId = `req-${randomUUID()}`;
      res.setHeader("x-request-id", requestId);
      const hop = untraced.start("router", { kind: "server", parent: req.headers["traceparent"] as string });
      const { host } = req.headers;
      const context: RequestContext = { requestId, principal, ipAddress: "203.0.113.9", host, hop };
      void service.http?.(req, res, context);
    },
    { host: "127.0.0.1", port: 0, upgrades: true },
  );
}

function creators(admin: Admin, project: TokenPrincipal["project"]) {
  const options = {
    metadata: originMetadata({ actor: "admin_key:root", ipAddress: "192.0.2.1", project, traceparent: "" }),
  };
  const projectUuid = project.uuid;
  const makeEndpoint = async (definition: Partial<EndpointDefinition>) => {
    const full = { slug: `e-${randomUUID().slice(0, 8)}`, allowedMethods: ["GET"], ...definition };
    const { endpoint } = await admin.createEndpoint({ projectUuid, definition: full }, options);
    return { slug: endpoint?.definition?.slug ?? "", warning: endpoint?.warning };
  };
  return {
    createEndpoint: async (definition: Partial<EndpointDefinition>) => (await makeEndpoint(definition)).slug,
    createEndpointWithWarning: makeEndpoint,
    async createConnection(connection: Partial<CreateOauthConnectionRequest>): Promise<number> {
      const full = { projectUuid, name: `c-${randomUUID().slice(0, 8)}`, ...connection };
      return (await admin.createOauthConnection(full, options)).connection?.id ?? 0;
    },
  };
}
