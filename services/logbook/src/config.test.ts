import { ConfigError, EnvReader } from "@gatehouse/config";
import { expect, test } from "vitest";
import { readLogbookConfig } from "./config.ts";

function read(environment: Readonly<Record<string, string>>) {
  const env = new EnvReader(environment);
  const config = readLogbookConfig(env);
  env.finish();
  return config;
}

test("the gateway log is rows here and goes nowhere else by default", () => {
  expect(read({})).toMatchObject({ keepsGatewayLogRows: true, gatewayLogCollector: undefined });
});

test("rows can be left out only where a collector gets the entries", () => {
  const collector = { GATEWAY_LOG_OTLP_ENDPOINT: "http://collector:4318" };
  expect(read({ ...collector, GATEWAY_LOG_ROWS: "off" })).toMatchObject({
    keepsGatewayLogRows: false,
    gatewayLogCollector: "http://collector:4318",
  });
  expect(() => read({ GATEWAY_LOG_ROWS: "off" })).toThrow("GATEWAY_LOG_OTLP_ENDPOINT must say where the entries go");
  expect(() => read({ GATEWAY_LOG_OTLP_ENDPOINT: "collector" })).toThrow(ConfigError);
});
