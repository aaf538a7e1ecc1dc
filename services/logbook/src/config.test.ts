import { ConfigError, EnvReader } from "@gatehouse/config";
import { expect, test } from "vitest";
import { readLogbookConfig } from "./config.ts";

function read(environment: Readonly<Record<string, string>>) {
  const env = new EnvReader(environment);
  const config = readLogbookConfig(env);
  env.finish();
  return config;
}

test("the gateway log is stored as rows and not exported by default", () => {
  expect(read({})).toMatchObject({ keepsGatewayLogRows: true, gatewayLogCollector: undefined });
});

test("rows can be switched off only with a collector", () => {
  const collector = { GATEWAY_LOG_OTLP_ENDPOINT: "https://collector:4318" };
  expect(read({ ...collector, GATEWAY_LOG_ROWS: "off" })).toMatchObject({
    keepsGatewayLogRows: false,
    gatewayLogCollector: { endpoint: "https://collector:4318", headers: undefined },
  });
  expect(() => read({ GATEWAY_LOG_ROWS: "off" })).toThrow("GATEWAY_LOG_OTLP_ENDPOINT must say where the entries go");
  expect(() => read({ GATEWAY_LOG_OTLP_ENDPOINT: "collector" })).toThrow(ConfigError);
});

test.each([
  "user:hunter2@collector",
  "hunter2@collector",
  "collector/?key=hunter2",
  "collector/#hunter2",
  "collector?",
])("a collector's address with more than a base, %s, is refused without being shown", (rest) => {
  const reading = () => read({ GATEWAY_LOG_OTLP_ENDPOINT: `https://${rest}` });
  expect(reading).toThrow(/GATEWAY_LOG_OTLP_ENDPOINT must be a base address (?!.*hunter2)/);
});

test("headers for the collector are a secret, and invalid ones are refused without being shown", () => {
  const endpoint = { GATEWAY_LOG_OTLP_ENDPOINT: "https://collector" };
  const { gatewayLogCollector: collector } = read({ ...endpoint, GATEWAY_LOG_OTLP_HEADERS: "api-key=hunter2" });
  expect(collector?.headers?.reveal()).toBe("api-key=hunter2");
  expect(JSON.stringify(collector)).not.toContain("hunter2");
  const reading = () => read({ ...endpoint, GATEWAY_LOG_OTLP_HEADERS: "hunter2" });
  expect(reading).toThrow(/GATEWAY_LOG_OTLP_HEADERS must be name=value(?!.*hunter2)/);
});

test("a collector on another machine needs encryption, unless plaintext is allowed", () => {
  const beyond = { GATEWAY_LOG_OTLP_ENDPOINT: "http://collector:4318" };
  expect(() => read(beyond)).toThrow("GATEWAY_LOG_OTLP_ENDPOINT is unencrypted and not limited to this machine");
  expect(read({ ...beyond, GATEHOUSE_PLAINTEXT: "allow" }).gatewayLogCollector?.endpoint).toBe("http://collector:4318");
  const here = "http://127.0.0.1:4318";
  expect(read({ GATEWAY_LOG_OTLP_ENDPOINT: here }).gatewayLogCollector?.endpoint).toBe(here);
});
