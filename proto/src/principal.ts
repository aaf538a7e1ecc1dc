export * from "../gen/gatehouse/principal/v1/principal.ts";
