import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { signedHeaders } from "./signature.ts";

const first = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY";
const second = "whsec_ZmVkY2JhWllYV1ZVVFNSUVBPTk1MS0pJSEdGRURDQkE";
const message = {
  messageUuid: "5f0c9a0e-1f6e-4a55-8a53-0a2c41c2f3aa",
  deliveryUuid: "2c1f6f43-5d2b-4f6e-b54e-3a4f2a1f9b10",
  event: "token.revoked",
  body: '{"event":"token.revoked","target":"caf\u00e9"}',
  timestampSeconds: Math.floor(Date.now() / 1_000),
};
const hex = (secret: string) => `sha256=${createHmac("sha256", secret).update(message.body, "utf8").digest("hex")}`;

test("the contract's signature covers the raw body, with the whole secret", () => {
  const headers = signedHeaders(message, { first, second: undefined, isStaged: false }, "X-Service");
  expect(headers).toMatchObject({
    "Content-Type": "application/json",
    "X-Service-Event": "token.revoked",
    "X-Service-Signature": hex(first),
    "X-Service-Timestamp": String(message.timestampSeconds),
    "X-Service-Delivery": message.deliveryUuid,
    "webhook-id": message.messageUuid,
    "webhook-timestamp": String(message.timestampSeconds),
  });
  expect(headers).not.toHaveProperty("X-Service-Signature-Next");
});

test("the prefix of the contract's headers is a setting", () => {
  const headers = signedHeaders(message, { first, second: undefined, isStaged: false }, "X-Acme");
  expect(headers["X-Acme-Signature"]).toBe(hex(first));
  expect(Object.keys(headers).join()).not.toContain("X-Service");
});

test("a Standard Webhooks library verifies with the secret as it was shown", () => {
  const headers = signedHeaders(message, { first, second: undefined, isStaged: false }, "X-Service");
  expect(new Webhook(first).verify(message.body, headers)).toEqual({ event: "token.revoked", target: "caf\u00e9" });
  expect(() => new Webhook(second).verify(message.body, headers)).toThrow("No matching signature");
  expect(() => new Webhook(first).verify(`${message.body} `, headers)).toThrow("No matching signature");
});

test("the standard signature covers the timestamp, which the contract's does not", () => {
  const headers = signedHeaders(message, { first, second: undefined, isStaged: false }, "X-Service");
  const moved = { ...headers, "webhook-timestamp": String(message.timestampSeconds + 1) };
  expect(() => new Webhook(first).verify(message.body, moved)).toThrow("No matching signature");
});

test("both secrets of an overlap verify", () => {
  const headers = signedHeaders(message, { first, second, isStaged: false }, "X-Service");
  for (const secret of [first, second]) new Webhook(secret).verify(message.body, headers);
  expect(headers["X-Service-Signature"]).toBe(hex(first));
  expect(headers).not.toHaveProperty("X-Service-Signature-Next");
});

test("the next secret of a staged rotation has a separate header", () => {
  const headers = signedHeaders(message, { first, second, isStaged: true }, "X-Service");
  expect(headers["X-Service-Signature"]).toBe(hex(first));
  expect(headers["X-Service-Signature-Next"]).toBe(hex(second));
});
