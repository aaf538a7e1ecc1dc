export * from "../gen/gatehouse/chat/v1/admin.ts";
