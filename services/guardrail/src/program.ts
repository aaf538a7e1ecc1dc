import type { ServiceProgram } from "@gatehouse/service";
import { createGuardrailService } from "./app.ts";
import { type GuardrailConfig, loadConfig } from "./config.ts";

export { createGuardrailService, type GuardrailDependencies } from "./app.ts";
export { type GuardrailConfig, readGuardrailConfig } from "./config.ts";

/** The service in any process and any set of services. */
export const guardrailProgram: ServiceProgram<GuardrailConfig> = {
  name: "guardrail",
  loadConfig,
  create: (config, host) => createGuardrailService(config, host),
};
