export { createHealthHandler, type HealthOptions } from "./health.ts";
export { type HostConfig, logLevels, readHostConfig, readRpcAddress } from "./host-config.ts";
export { onSignal, runService, type ServiceProgram } from "./run-service.ts";
export { cacheReadiness, combineReadiness, isReady, type Readiness, readinessLifeMs, type Service } from "./service.ts";
export { serveService, type ServiceServer } from "./service-server.ts";
