export * from "../gen/gatehouse/chat/v1/chat.ts";
