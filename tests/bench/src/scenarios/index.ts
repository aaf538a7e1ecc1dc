import type { Scenario } from "../scenario.ts";
import { abortedStreams } from "./aborted-streams.ts";
import { apiProxy } from "./api-proxy.ts";
import { capacity } from "./capacity.ts";
import { chatStream } from "./chat-stream.ts";
import { chat } from "./chat.ts";
import { credentials } from "./credentials.ts";
import { gatewayLog } from "./gateway-log.ts";
import { growth } from "./growth.ts";
import { guardrails } from "./guardrails.ts";
import { idle } from "./idle.ts";
import { largePrompts } from "./large-prompts.ts";
import { mcpBridge } from "./mcp-bridge.ts";
import { mcp } from "./mcp.ts";
import { policiesOn } from "./policies-on.ts";
import { postgresOutage } from "./postgres-outage.ts";
import { stored } from "./stored.ts";
import { tls } from "./tls.ts";
import { topology } from "./topology.ts";
import { tracing } from "./tracing.ts";
import { webhooks } from "./webhooks.ts";

/** Every scenario, in the order in which a full run takes them. */
export const scenarios: readonly Scenario[] = [
  chat,
  chatStream,
  abortedStreams,
  policiesOn,
  credentials,
  topology,
  tls,
  capacity,
  mcpBridge,
  guardrails,
  largePrompts,
  gatewayLog,
  tracing,
  mcp,
  webhooks,
  growth,
  stored,
  idle,
  apiProxy,
  postgresOutage,
];
