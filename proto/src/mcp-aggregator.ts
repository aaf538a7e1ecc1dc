export * from "../gen/gatehouse/mcp_aggregator/v1/upstream_admin.ts";
