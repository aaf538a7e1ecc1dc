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

test.each(["Webhook", "webhook-id", "Host", "CONTENT", "Content-Type", "Sec-WebSocket", "TE", "X-Forwarded"])(
  "the prefix %s, whose headers have another meaning, is refused",
  (prefix) => {
    const env = new EnvReader({ WEBHOOK_HEADER_PREFIX: prefix });
    readWebhookDispatcherConfig(env);
    expect(() => env.finish()).toThrow("WEBHOOK_HEADER_PREFIX must not begin with ");
  },
);

test.each(["X-Acme", "Acme", "Hostess", "Webhooks", "X-Host", "Team"])("the prefix %s is accepted", (prefix) => {
  const env = new EnvReader({ WEBHOOK_HEADER_PREFIX: prefix });
  expect(readWebhookDispatcherConfig(env).headerPrefix).toBe(prefix);
  expect(() => env.finish()).not.toThrow();
});
