import type { Environment } from "@gatehouse/config";
import { type DatabaseConfig, loadProcessConfig, type OwnProcessConfig, readPoolConfig } from "@gatehouse/service";

/** Settings of the template service, wherever it runs. */
export type TemplateConfig = DatabaseConfig;

/** @throws ConfigError with every problem, by name. */
export function loadConfig(environment: Environment): TemplateConfig & OwnProcessConfig {
  return loadProcessConfig(environment, { http: 8099, rpc: 9099 }, readPoolConfig);
}
