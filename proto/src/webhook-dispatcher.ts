export * from "../gen/gatehouse/webhook_dispatcher/v1/webhook_admin.ts";
