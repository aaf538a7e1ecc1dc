import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { openTestAdmin, type TestAdmin } from "@gatehouse/admin/testing";
import type { AuditEvent, EventKey } from "@gatehouse/audit";
import { parseEgressAllow } from "@gatehouse/egress";
import { createInProcessTransport, type EventTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import type { RpcBinding } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { type Keyring, Secret } from "@gatehouse/vault";
import {
  createWebhookDispatcherService,
  type WebhookDispatcherConfig,
  type WebhookDispatcherDependencies,
} from "../src/program.ts";

/** A delivery, as operations show it. */
export interface ShownDelivery {
  readonly id: number;
  readonly uuid: string;
  readonly state: string;
  readonly success: boolean | null;
  readonly error: string | null;
  readonly request_body: string;
  readonly response_body: string | null;
  readonly redelivery_of: number | null;
  readonly [field: string]: unknown;
}

/** A request as a receiver got it. */
export interface Arrival {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly path: string;
  readonly at: number;
}

export interface Receiver {
  readonly url: string;
  readonly arrivals: Arrival[];
  stop(): Promise<void>;
}

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

const answerOk: Answer = (_req, res) => void res.writeHead(200, { "content-type": "text/plain" }).end("thanks");

/** A local receiver that records each whole request before it answers. */
export async function startReceiver(answer: Answer = answerOk): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      arrivals.push({ headers: req.headers, body, path: req.url ?? "", at: performance.now() });
      answer(req, res);
    });
    req.on("error", () => {});
  });
  return { url: `${await listen(server)}/hook`, arrivals, stop: async () => await close(server) };
}

export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

export function newKeyring(id = "k1"): Keyring {
  return { currentId: id, keys: new Map([[id, randomBytes(32)]]) };
}

export function testConfig(
  databaseUrl: string,
  changes: Partial<WebhookDispatcherConfig> = {},
): WebhookDispatcherConfig {
  return {
    databaseUrl: new Secret(databaseUrl),
    databaseConnectionsMax: 10,
    keyring: newKeyring(),
    egress: { allow: parseEgressAllow("127.0.0.0/8") },
    timeoutMs: 10_000,
    headerPrefix: "X-Service",
    concurrencyMax: 8,
    inFlightMax: 1_024,
    leaseMs: 2_000,
    retentionDays: 30,
    ...changes,
  };
}

export interface Replica {
  readonly service: Service;
  readonly admin: TestAdmin;
  readonly transport: EventTransport;
  readonly telemetry: Telemetry;
}

export async function startReplica(
  config: WebhookDispatcherConfig,
  overrides: Partial<WebhookDispatcherDependencies> = {},
): Promise<Replica> {
  const transport = overrides.events ?? createInProcessTransport();
  const telemetry = overrides.telemetry ?? createSilentTelemetry();
  const service = createWebhookDispatcherService(config, { ...overrides, telemetry, events: transport });
  await service.start();
  await transport.start();
  return { service, admin: openAdmin(service), transport, telemetry };
}

/** A service on existing tables that is not started: answers administrators, and dispatches nothing. */
export async function createIdle(config: WebhookDispatcherConfig): Promise<Pick<Replica, "service" | "admin">> {
  const migrating = await startReplica(config);
  await migrating.service.stop();
  const overrides = { telemetry: createSilentTelemetry(), events: createInProcessTransport() };
  const service = createWebhookDispatcherService(config, overrides);
  return { service, admin: openAdmin(service) };
}

function openAdmin({ rpc }: Service): TestAdmin {
  const [binding] = rpc as unknown as [RpcBinding<typeof AdminServiceDefinition>];
  return openTestAdmin(binding);
}

export async function openTestDatabase(): Promise<TestDatabase> {
  return await createTestDatabase();
}

export interface TestProject {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
}

export function newProject(name = "Acme"): TestProject {
  return { id: randomInt(1, 2_000_000_000), uuid: randomUUID(), name };
}

export function newEvent(project: TestProject | null, changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: randomUUID(),
    event: "token.revoked",
    severity: "warn",
    actor: "admin_key:ops",
    project,
    target: "ci",
    metadata: { token_id: 7 },
    ipAddress: "192.0.2.7",
    occurredAt: new Date().toISOString(),
    traceparent: "",
    ...changes,
  };
}

export async function publish({ transport }: Pick<Replica, "transport">, ...events: AuditEvent[]): Promise<void> {
  await transport.publish(
    "audit",
    events.map((event) => ({ id: event.id, body: JSON.stringify(event), attempt: 0 })),
  );
}

export interface TestWebhook {
  readonly id: number;
  readonly secret: string;
  readonly project: TestProject;
}

export async function createWebhook(
  { admin }: Pick<Replica, "admin">,
  url: string,
  { project = newProject(), events = ["token.revoked"] as readonly EventKey[], name = "ops" } = {},
): Promise<TestWebhook> {
  const given = { project: project.uuid, name, url, events };
  const { id, secret } = await admin.call<Pick<TestWebhook, "id" | "secret">>("svc_create_webhook", given, project);
  return { id, secret, project };
}

/** Ended deliveries of a webhook, newest first. */
export async function endedDeliveries({ admin }: Pick<Replica, "admin">, webhookId: number) {
  const { deliveries } = await admin.call<{ readonly deliveries: readonly ShownDelivery[] }>("svc_list_deliveries", {
    webhook_id: webhookId,
    limit: 200,
  });
  return deliveries;
}
