export * from "../gen/gatehouse/api_proxy/v1/api_proxy_admin.ts";
