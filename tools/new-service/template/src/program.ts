import { type DatabaseConfig, loadProcessConfig, readPoolConfig, type ServiceProgram } from "@gatehouse/service";
import { createTemplateService } from "./app.ts";

/** The service in any process and any set of services. */
export const templateProgram: ServiceProgram<DatabaseConfig> = {
  name: "template",
  loadConfig: (environment) => loadProcessConfig(environment, { http: 8099, rpc: 9099 }, readPoolConfig),
  create: createTemplateService,
};
