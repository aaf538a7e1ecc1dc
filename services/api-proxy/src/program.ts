import { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { ServiceProgram } from "@gatehouse/service";
import { createApiProxyService } from "./app.ts";
import { type ApiProxyMemberConfig, loadConfig } from "./config.ts";

export { type ApiProxyDependencies, createApiProxyService } from "./app.ts";
export { type ApiProxyConfig, type ApiProxyMemberConfig, type ApiProxySettings, readApiProxyConfig } from "./config.ts";

/** Entry for every host: a process (`main.ts`), standalone, or a set of services. Connects to chat and guardrail. */
export const apiProxyProgram: ServiceProgram<ApiProxyMemberConfig> = {
  name: "api-proxy",
  loadConfig,
  create(config, host) {
    const chat = host.connect("chat", { address: config.chatRpcAddress, timeoutMs: config.proxy.allowanceTimeoutMs });
    const { guardrailRpcAddress: address, guardrailTimeoutMs: timeoutMs } = config;
    const guardrail = host.connect("guardrail", { address, timeoutMs });
    // Lists own addresses, since a request to the gateway itself could loop.
    return createApiProxyService(
      { ...config, ownAddresses: host.ownAddresses },
      {
        ...host,
        ledger: chat.client(AllowanceServiceDefinition),
        guardrail: guardrail.client(GuardrailServiceDefinition),
      },
    );
  },
};
