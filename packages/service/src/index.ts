export type { AnswerOnce, Commit } from "./answer-once.ts";
export { createService } from "./create-service.ts";
export { createHealthHandler } from "./health.ts";
export { durationBuckets } from "./http-metrics.ts";
export {
  type BareHostConfig,
  type BodyConfig,
  type GatewayLogConfig,
  type HostConfig,
  type ProcessTrust,
  logLevels,
  readBareHostConfig,
  readBodyConfig,
  readBodySizeBytesMax,
  readGatewayLogConfig,
  readIsLogging,
  readKnownTextsMax,
  readOptionalDatabaseUrl,
  readPoolConfig,
  readResendsLostCalls,
  readRpcAddress,
  readSpillConfig,
  type SpillConfig,
  refuseWorkers,
} from "./host-config.ts";
export type {
  DatabaseConfig,
  DatabaseKernel,
  Kernel,
  OutboxKernel,
  RelayPlace,
  ServiceHost,
  ServiceParts,
} from "./kernel.ts";
export { loadProcessConfig, type OwnProcessConfig } from "./load-process-config.ts";
export { type Backlog, nestedReportTimeoutMs, type Part } from "./part.ts";
export type { PeerRpcConfig, ProcessConfig, ProcessHost } from "./process-host.ts";
export { guardProcess, type ProcessEnd } from "./guard-process.ts";
export { type RunnableService, runService, runServices, type ServiceProgram, toRunnable } from "./run-service.ts";
export { cacheReadiness, combineReadiness, isReady, type Readiness, readinessOf, type Service } from "./service.ts";
export { serveService, type ServiceListener, type ServiceServer } from "./service-server.ts";
export { type CreateMember, type MemberHost, ServiceSet } from "./service-set.ts";
export { processFacts, type ServiceState } from "./service-state.ts";
export { createSpillPart, processMarkExtension } from "./spill-part.ts";
export { releaseMemoryAtRest } from "./memory-at-rest.ts";
export { sharedMigrations } from "./shared-migrations.ts";
export { hostProblem, type PortSetting, toPortError, UnusablePortError } from "./unusable-port.ts";
export { type Reading, type Store, unchanged, type WriteResult } from "./store.ts";
export { folderNotices, requireFolder } from "./writable-folder.ts";
