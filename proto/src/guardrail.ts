export * from "../gen/gatehouse/guardrail/v1/guardrail.ts";
