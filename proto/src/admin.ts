export * from "../gen/gatehouse/admin/v1/admin.ts";
