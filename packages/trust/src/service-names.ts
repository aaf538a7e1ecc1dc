/** Every service, each of which runs as a process and signs what it says to others. */
export const serviceNames = [
  "router",
  "control-plane",
  "chat",
  "guardrail",
  "mcp-bridge",
  "mcp-aggregator",
  "api-proxy",
  "webhook-dispatcher",
  "logbook",
] as const;

export type ServiceName = (typeof serviceNames)[number];

/** Services that seal secrets at rest, each with a keyring. */
export const sealingServices = [
  "chat",
  "guardrail",
  "mcp-aggregator",
  "api-proxy",
  "webhook-dispatcher",
] as const satisfies readonly ServiceName[];

export function isServiceName(text: string): text is ServiceName {
  return (serviceNames as readonly string[]).includes(text);
}
