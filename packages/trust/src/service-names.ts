/** Every service that signs what it says to others. */
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

export function isServiceName(text: string): text is ServiceName {
  return (serviceNames as readonly string[]).includes(text);
}
