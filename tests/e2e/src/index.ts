export { type Child, startChild } from "./child.ts";
export { collect } from "./collect.ts";
export {
  allowLoopback,
  type ContractWorld,
  type EndpointFixture,
  openContractWorld,
} from "./contract/contract-world.ts";
export { eventsOf, exchange, type Exchange, type ExchangeOptions, type Fields } from "./contract/exchange.ts";
export {
  type McpScript,
  mcpServer,
  overEventStream,
  replyJson,
  ScriptedUpstream,
  type UpstreamRequest,
  type UpstreamScript,
} from "./contract/scripted-upstream.ts";
export {
  ControlPlaneClient,
  createProject,
  type Json,
  type ProjectFixture,
  uniqueName,
} from "./control-plane-client.ts";
export {
  processNames,
  type Product,
  type ProductOptions,
  type ServicesOptions,
  startServices,
  startStandalone,
} from "./product.ts";
export type { ServiceName } from "@gatehouse/trust";
export {
  answer,
  answerWith,
  chunk,
  event,
  fail,
  type Script,
  ScriptedProvider,
  silence,
  streamWords,
} from "./scripted-provider.ts";
