import type { CommandValue } from "../command.ts";

export const project: CommandValue = { name: "project", kind: "project", description: "The project's uuid or name." };
export const endpoint: CommandValue = { name: "endpoint", kind: "endpoint", description: "Its uuid, or project/slug." };
export const owner: CommandValue = {
  name: "owner",
  kind: "owner",
  description: "A project, or an endpoint as project/slug.",
};
export const name: CommandValue = { name: "name", kind: "text", description: "A name for people." };
export const provider: CommandValue = { name: "provider", kind: "text", description: "The provider's name." };
export const tokenId: CommandValue = { name: "token-id", kind: "integer", description: "The token's id." };
export const expiresAt: CommandValue = {
  name: "expires-at",
  kind: "moment",
  description: "When it stops working, e.g. 2027-01-31T12:00:00Z, or never.",
};
export const upstreamId: CommandValue = { name: "upstream-id", kind: "integer", description: "The upstream's id." };
export const webhookId: CommandValue = { name: "webhook-id", kind: "integer", description: "The webhook's id." };
export const credentialId: CommandValue = {
  name: "credential-id",
  kind: "integer",
  description: "The credential's id.",
};
export const page: readonly CommandValue[] = [
  { name: "limit", kind: "integer", description: "Items on a page, at most 200." },
  { name: "cursor", kind: "text", description: "The next_cursor of the page before." },
];
export const limits: readonly CommandValue[] = [
  { name: "rate-limit-per-minute", kind: "limit", description: "Requests a minute, or unlimited." },
  { name: "rate-limit-per-hour", kind: "limit", description: "Requests an hour, or unlimited." },
];
export const range: readonly CommandValue[] = [
  { name: "project", kind: "project", description: "Only this project's." },
  { name: "since", kind: "text", description: "From this time on, e.g. 2027-01-31T12:00:00Z." },
  { name: "until", kind: "text", description: "Before this time." },
  ...page,
];
