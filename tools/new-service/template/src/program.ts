import type { ServiceProgram } from "@gatehouse/service";
import { createTemplateService } from "./app.ts";
import { loadConfig, type TemplateConfig } from "./config.ts";

/** The service in any process and any set of services. */
export const templateProgram: ServiceProgram<TemplateConfig> = {
  name: "template",
  loadConfig,
  create: createTemplateService,
};
