import type { ServiceProgram } from "@gatehouse/service";
import { createLogbookService } from "./app.ts";
import { loadConfig, type LogbookConfig } from "./config.ts";

export { createLogbookService, type LogbookDependencies } from "./app.ts";
export { type LogbookConfig, readLogbookConfig } from "./config.ts";

/** The service in any process and any set of services. */
export const logbookProgram: ServiceProgram<LogbookConfig> = {
  name: "logbook",
  loadConfig,
  create: (config, host) => createLogbookService(config, host),
};
