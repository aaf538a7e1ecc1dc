import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openTestAdmin, type TestAdmin } from "@gatehouse/admin/testing";
import { createInProcessTransport } from "@gatehouse/events";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import type { ServiceHandler, TokenPrincipal } from "@gatehouse/principal";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { type Answer, type ReceivedRequest, startEmulatedServer } from "@gatehouse/providers/testing";
import { bindRpc, connectLocally, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, untraced } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { type ChatDependencies, createChatService } from "../src/app.ts";
import { loadConfig } from "../src/config.ts";

export interface WrapperReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface WrapperHarness {
  readonly projectUuid: string;
  readonly admin: TestAdmin;
  /** Client of chat's RPCs. */
  readonly calls: RpcClient<typeof ChatServiceDefinition>;
  readonly principal: TokenPrincipal;
  /** The service's RPC bindings, to be served. */
  readonly bindings: readonly RpcBinding[];
  /** Requests that the provider has received since the last `play`. */
  readonly received: readonly ReceivedRequest[];
  /** Sets the provider's answers from now on. */
  play(answer: Answer): void;
  /** Creates an endpoint, on the emulated provider by default; returns its alias. */
  alias(definition?: AliasDefinition): Promise<string>;
  readonly databaseUrl: string;
  /** Origin of the emulated provider. */
  readonly upstreamUrl: string;
  /** Creates a provider; returns its name. */
  provider(kind: string, baseUrl?: string): Promise<string>;
  /** Posts a body, given as JSON text or as a value. */
  post(resource: string, body: unknown): Promise<WrapperReply>;
  get(resource: string): Promise<WrapperReply>;
  /** Posts a body, given likewise, to a path below the project. */
  postTo(path: string, body: unknown): Promise<WrapperReply>;
  stop(): Promise<void>;
}

/** Arguments of `svc_create_endpoint`, or the provider and the model of its only target. */
export interface AliasDefinition {
  readonly provider?: string;
  readonly model?: string;
  readonly [argument: string]: unknown;
}

/** The chat service on a real database, whose HTTP handler is behind a server that simulates the router. */
export async function startWrapper(overrides: Partial<ChatDependencies> = {}): Promise<WrapperHarness> {
  const database = await createTestDatabase();
  const projectUuid = randomUUID();
  const service = createChatService(
    loadConfig({
      HOST: "127.0.0.1",
      DATABASE_URL: database.url,
      ...createTestTrust().env("chat"),
      GATEHOUSE_KEYRING: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
    }),
    {
      telemetry: createSilentTelemetry(),
      guardrail: noGuardrails,
      events: createInProcessTransport(),
      ...overrides,
    },
  );
  await service.start();
  const principal = createPrincipal(projectUuid);
  const face = createServer((req, res) => {
    const span = untraced.start("test", { kind: "server" });
    void service.http?.(req, res, { requestId: "r1", principal, ipAddress: "", span });
  });
  await new Promise<void>((resolve) => face.listen(0, "127.0.0.1", () => resolve()));
  const project = `http://127.0.0.1:${(face.address() as AddressInfo).port}/api/${projectUuid}`;
  const origin = `${project}/v1`;

  const received: ReceivedRequest[] = [];
  let answer: Answer = () => undefined;
  const upstream = await startEmulatedServer(async (res, request) => {
    received.push(request);
    await answer(res, request);
  });
  const admin = openTestAdmin(findBinding(service, AdminServiceDefinition));
  let counter = 0;
  const provider = async (kind: string, baseUrl?: string) => {
    const name = `provider-${++counter}`;
    await admin.call("svc_create_provider", { name, kind, ...(baseUrl === undefined ? {} : { base_url: baseUrl }) });
    const credential = { provider: name, name: "main", api_key: "sk-test-1234567890" };
    if (kind !== "mock") await admin.call("svc_create_credential", credential);
    return name;
  };
  const emulated = await provider("openai-compatible", `${upstream.url}/v1`);
  return {
    projectUuid,
    admin,
    calls: connectTo(service, ChatServiceDefinition),
    principal,
    bindings: service.rpc,
    received,
    databaseUrl: database.url,
    upstreamUrl: upstream.url,
    play(next) {
      received.length = 0;
      answer = next;
    },
    provider,
    async alias({ provider: name = emulated, model = "m", ...definition } = {}) {
      const slug = `alias-${++counter}`;
      const targets = [{ provider: name, model }];
      const endpoint = { project: projectUuid, slug, targets, streaming_enabled: true, ...definition };
      await admin.call("svc_create_endpoint", endpoint);
      return slug;
    },
    post: async (resource, body) => await postText(`${origin}/${resource}`, body),
    postTo: async (path, body) => await postText(`${project}/${path}`, body),
    get: async (resource) => await read(await fetch(`${origin}/${resource}`)),
    async stop() {
      face.closeAllConnections();
      face.close();
      await upstream.close();
      await service.stop();
      await database.drop();
    },
  };
}

function connectTo<Definition extends RpcBinding["definition"]>(
  service: Service,
  definition: Definition,
): RpcClient<Definition> {
  return connectLocally(findBinding(service, definition));
}

function findBinding<Definition extends RpcBinding["definition"]>(
  service: Service,
  definition: Definition,
): RpcBinding<Definition> {
  const binding = service.rpc.find((candidate) => candidate.definition === definition);
  if (binding === undefined) throw new Error("The service lacks this gRPC service.");
  return binding as unknown as RpcBinding<Definition>;
}

/** Sends one HTTP request to a handler. */
export async function serveOnce(handler: ServiceHandler): Promise<Response> {
  const principal = createPrincipal(randomUUID());
  const server = createServer((req, res) => {
    void handler(req, res, {
      requestId: "r1",
      principal,
      ipAddress: "",
      span: untraced.start("test", { kind: "server" }),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  try {
    return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
  }
}

/** A guardrail service without policies. */
const noGuardrails = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
    consult: async () => await Promise.resolve({}),
    inspect: async () => await Promise.resolve({ policyAbsent: true }),
    inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
  }),
);

function createPrincipal(projectUuid: string): TokenPrincipal {
  const rateLimits = { perMinute: 100_000, perHour: null };
  return {
    kind: "token",
    tokenId: 1,
    tokenName: "t",
    environment: "test",
    scopes: ["chat", "models"],
    rateLimits,
    project: { id: 1, uuid: projectUuid, name: "p", projectType: "ai_wrapper", rateLimits },
  };
}

async function postText(url: string, body: unknown): Promise<WrapperReply> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return await read(await fetch(url, { method: "POST", body: text }));
}

async function read(reply: Response): Promise<WrapperReply> {
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
