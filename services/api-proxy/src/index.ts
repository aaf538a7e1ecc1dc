export { type ApiProxyOverrides, createApiProxyService } from "./app.ts";
export { type ApiProxyConfig, type ApiProxyMemberConfig, type ApiProxySettings, readApiProxyConfig } from "./config.ts";
export { apiProxyProgram } from "./program.ts";
