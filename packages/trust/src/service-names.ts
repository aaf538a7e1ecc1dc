/**
 * Every service, each of which runs as a process and signs its calls to others, with its default HTTP port. In the order of their
 * start: services that store events before those that publish them, and the router, which opens the gateway to clients, last.
 * They stop in reverse.
 */
const httpPorts = {
  logbook: 8088,
  "webhook-dispatcher": 8087,
  guardrail: 8083,
  chat: 8082,
  "mcp-bridge": 8084,
  "mcp-aggregator": 8085,
  "api-proxy": 8086,
  "control-plane": 8081,
  router: 8080,
} as const;

/** Name of a service of the product, as in signatures, certificates, subjects and the broker's users. */
export type ServiceName = keyof typeof httpPorts;

/** In the order of their start. */
export const serviceNames = Object.keys(httpPorts) as readonly ServiceName[];

/** Default TCP ports of a service. */
export interface Ports {
  readonly http: number;
  readonly rpc: number;
}

const rpcOffset = 1_000;

/** Default ports of a service; docs/configuration.md lists them. The router has no gRPC. */
export function defaultPorts(name: ServiceName): Ports {
  const http = httpPorts[name];
  return { http, rpc: http + rpcOffset };
}

/**
 * Services that seal secrets at rest, each with a keyring, and the purpose for which starts on one machine derive its key from their
 * root secret. A value opens only with the purpose under which it was sealed, so a released purpose never changes.
 */
export const keyringPurposes = {
  chat: "chat/credentials",
  guardrail: "guardrail/external",
  "mcp-aggregator": "mcp-aggregator/upstreams",
  "api-proxy": "api-proxy/credentials",
  "webhook-dispatcher": "webhook-dispatcher/roots",
} as const satisfies Partial<Record<ServiceName, string>>;

/** Name of a service with a keyring. */
export type SealingService = keyof typeof keyringPurposes;

/** All services with a keyring. */
export const sealingServices = Object.keys(keyringPurposes) as readonly SealingService[];

/** Purpose of the key, derived likewise, with which the logbook signs checkpoints of the audit log. */
export const checkpointPurpose = "logbook/audit-checkpoints";

/** Services whose rows are configuration: each has an outbox for the audit events of its changes. */
export const outboxServices = [
  "control-plane",
  "chat",
  "guardrail",
  "mcp-aggregator",
  "api-proxy",
  "webhook-dispatcher",
] as const satisfies readonly ServiceName[];

/** Type of a service's name where it has an outbox: never a name of the product's that is not in {@link outboxServices}. */
export type WithOutbox<Name> = Name extends Exclude<ServiceName, (typeof outboxServices)[number]> ? never : Name;

/** The service's name if it has no outbox, `never` if it is in {@link outboxServices}. */
export type WithoutOutbox<Name> = Name extends (typeof outboxServices)[number] ? never : Name;

/**
 * Services with operations, which the Control Plane offers as tools, in the order in which they delete a project's data:
 * endpoints and upstreams before the guardrails, since neither may be reachable without its policy.
 */
export const operationOwners = [
  "chat",
  "api-proxy",
  "mcp-aggregator",
  "guardrail",
  "webhook-dispatcher",
  "logbook",
] as const satisfies readonly ServiceName[];

/** A service's name in settings: `CHAT` of `CHAT_RPC_ADDRESS`, `MCP_BRIDGE` of `MCP_BRIDGE__PORT`. */
export function settingPrefix(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

/** Whether a text names a service of the product; narrows names from key files, certificates and command lines. */
export function isServiceName(text: string): text is ServiceName {
  return Object.hasOwn(httpPorts, text);
}
