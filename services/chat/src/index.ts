export { type ChatOverrides, createChatService } from "./app.ts";
export { type ChatConfig, readChatConfig } from "./config.ts";
