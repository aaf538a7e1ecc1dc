import type { OperationCommand } from "../command.ts";
import { adminKeyCommands } from "./admin-keys.ts";
import { endpointCommands } from "./endpoints.ts";
import { issuerCommands } from "./issuers.ts";
import { logCommands } from "./logs.ts";
import { oauthCommands } from "./oauth-connections.ts";
import { projectCommands } from "./projects.ts";
import { providerCommands } from "./providers.ts";
import { sessionCommands } from "./sessions.ts";
import { tokenCommands } from "./tokens.ts";
import { upstreamCommands } from "./upstreams.ts";
import { webhookCommands } from "./webhooks.ts";

/** Every command that is one operation, in the order of the help. */
export const commands: readonly OperationCommand[] = [
  ...projectCommands,
  ...tokenCommands,
  ...issuerCommands,
  ...providerCommands,
  ...endpointCommands,
  ...sessionCommands,
  ...upstreamCommands,
  ...oauthCommands,
  ...webhookCommands,
  ...logCommands,
  ...adminKeyCommands,
];
