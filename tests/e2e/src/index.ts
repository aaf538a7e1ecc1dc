export type { Child } from "./child.ts";
export { allowLoopback, type ProductWorld, type EndpointFixture, openProductWorld } from "./product-world.ts";
export { exchange, type Exchange, type ExchangeOptions, type Fields } from "./exchange.ts";
export {
  type McpScript,
  mcpServer,
  replyJson,
  ScriptedUpstream,
  type UpstreamRequest,
  type UpstreamScript,
} from "./scripted-upstream.ts";
export {
  ControlPlaneClient,
  createProject,
  type Json,
  type ProjectFixture,
  uniqueName,
} from "./control-plane-client.ts";
export { processNames, type Product, type ProductOptions, type ServicesOptions, startServices } from "./product.ts";
export type { ServiceName } from "@gatehouse/trust";
export { answer, answerWith, chunk, type Script, ScriptedProvider, silence } from "./scripted-provider.ts";
