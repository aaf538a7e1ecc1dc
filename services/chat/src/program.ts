import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { ServiceProgram } from "@gatehouse/service";
import { createChatService } from "./app.ts";
import { type ChatMemberConfig, loadConfig } from "./config.ts";

export { type ChatDependencies, createChatService } from "./app.ts";
export { type ChatConfig, type ChatMemberConfig, readChatConfig } from "./config.ts";

/** Entry for every host: a process (`main.ts`), standalone, or a set of services. Connects to guardrail. */
export const chatProgram: ServiceProgram<ChatMemberConfig> = {
  name: "chat",
  loadConfig,
  create(config, host) {
    const { guardrailRpcAddress: address, guardrailTimeoutMs: timeoutMs } = config;
    const channel = host.connect("guardrail", { address, timeoutMs });
    return createChatService(config, { ...host, guardrail: channel.client(GuardrailServiceDefinition) });
  },
};
