import { EnvReader } from "@gatehouse/config";
import { expect, test } from "vitest";
import { readWebhookDispatcherConfig } from "./config.ts";

test.each([
  [{}, 8],
  [{ WEBHOOK_LANE_WIDTH: "3" }, 3],
  [{ WEBHOOK_LANE_WIDTH: "3", WEBHOOK_CONCURRENCY_PER_WEBHOOK: "5" }, 5],
])(
  "the concurrency of a webhook is read under its present name, else under its former one: %o",
  (environment, expected) => {
    expect(readWebhookDispatcherConfig(new EnvReader(environment)).concurrencyMax).toBe(expected);
  },
);

test("a wrong value is named as it was set", () => {
  const env = new EnvReader({ WEBHOOK_LANE_WIDTH: "many" });
  readWebhookDispatcherConfig(env);
  expect(() => env.finish()).toThrow("WEBHOOK_LANE_WIDTH must be a whole number from 1 to 256");
});

test("a prefix whose headers would be those of Standard Webhooks is refused", () => {
  const env = new EnvReader({ WEBHOOK_HEADER_PREFIX: "Webhook" });
  readWebhookDispatcherConfig(env);
  expect(() => env.finish()).toThrow("WEBHOOK_HEADER_PREFIX must not be webhook");
});
