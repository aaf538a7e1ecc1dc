import { CallContext as ContextMessage } from "@gatehouse/proto/guardrail";
import { expect, test } from "vitest";
import { CallContext } from "./call-context.ts";
import { contextHeaders } from "./context-headers.ts";
import { samplePointOf } from "./sample-point.ts";

test("a call has a fixed sample point from 0 to 1, and calls are spread evenly", () => {
  expect(samplePointOf("a")).toBe(samplePointOf("a"));
  const points = Array.from({ length: 2_000 }, (_, index) => samplePointOf(String(index)));
  expect(points.every((point) => point >= 0 && point < 1)).toBe(true);
  expect(points.filter((point) => point < 0.25).length).toBeGreaterThan(400);
  expect(points.filter((point) => point < 0.25).length).toBeLessThan(600);
});

test("rules get a bounded number of short headers, and no credential", () => {
  const shown = contextHeaders({
    authorization: "Bearer a",
    cookie: "a",
    "user-agent": "curl",
    "x-team": "blue",
    "x-api-key": "a",
    "x-goog-api-key": "a",
    "x-amzn-oidc-data": "a",
    "x-auth-token": "a",
    "x-hub-signature": "a",
    "x-forwarded-for": "a",
    "x-gatehouse-principal": "a",
    "x-long": "a".repeat(257),
  });
  expect(shown).toEqual({ "user-agent": "curl", "x-team": "blue" });
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, "a"]));
  expect(Object.keys(contextHeaders(many))).toHaveLength(16);
});

test("a context works out each member once, and crosses the network whole", () => {
  let read = 0;
  const models = () => {
    read += 1;
    return ["m"];
  };
  const context = new CallContext({ tokenId: 1, surface: "chat", requestId: "r", models });
  expect(read).toBe(0);
  const sent = ContextMessage.decode(ContextMessage.encode(ContextMessage.fromPartial(context)).finish());
  const samplePoint = samplePointOf("r");
  expect(sent).toEqual({ tokenId: 1, surface: "chat", requestId: "r", models: ["m"], headers: {}, samplePoint });
  expect([context.models, context.samplePoint, read]).toEqual([["m"], samplePoint, 1]);
});
