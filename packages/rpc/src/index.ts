export { bindRpc, type RpcBinding } from "./binding.ts";
export { openRpcChannel, type RpcChannel, type RpcChannelOptions, type RpcClient } from "./client.ts";
export { connectLocally } from "./local.ts";
export { callDirectly, type DirectCall, type DirectHandlers } from "./direct.ts";
export { isUnimplemented } from "./error-mapping.ts";
export { type RpcServer, type RpcServerOptions, startRpcServer } from "./server.ts";
export type { CallContext, ServiceImplementation } from "nice-grpc";
