export { type ChatOverrides, createChatService } from "./app.ts";
export { type ChatConfig, type ChatMemberConfig, readChatConfig } from "./config.ts";
export { chatProgram } from "./program.ts";
