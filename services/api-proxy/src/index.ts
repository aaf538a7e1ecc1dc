export { type ApiProxyOverrides, createApiProxyService } from "./app.ts";
export { type ApiProxyConfig, type ApiProxySettings, readApiProxyConfig } from "./config.ts";
