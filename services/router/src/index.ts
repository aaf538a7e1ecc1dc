export {
  checkPorts,
  createRouterService,
  OperationsPortError,
  type RouterDependencies,
  type RouterOverrides,
  type RouterService,
} from "./app.ts";
export { createProxiedHandler } from "./clients/proxied-service.ts";
export { createRemoteHandler, type RemoteHandlerOptions, type RemoteServiceBounds } from "./clients/remote-service.ts";
export {
  loadConfig,
  readRouterConfig,
  readRouterMemberConfig,
  type RouterConfig,
  type RouterMemberConfig,
  type RouterProcessConfig,
} from "./config.ts";
export { describeRoute, type Route, routes, type ServiceName } from "./domain/route-table.ts";
export { openServicePeers, type ServicePeers } from "./clients/service-peers.ts";
export { routerProgram } from "./program.ts";
