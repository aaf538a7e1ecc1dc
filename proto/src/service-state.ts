export * from "../gen/gatehouse/service/v1/state.ts";
