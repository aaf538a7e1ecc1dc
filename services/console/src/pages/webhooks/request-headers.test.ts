import { expect, test } from "vitest";
import { requestHeadersOf } from "./request-headers.ts";

test("the headers of a redelivery have its uuid and the first message id, and no signature", () => {
  const sent = { event: "token.revoked", uuid: "b", message_uuid: "a", attempted_at: "2026-11-21T08:00:01.900Z" };
  expect(requestHeadersOf(sent).split("\n")).toEqual([
    "content-type: application/json",
    "x-service-event: token.revoked",
    "x-service-delivery: b",
    "x-service-timestamp: 1795248001",
    "x-service-signature: sha256=…",
    "webhook-id: a",
    "webhook-timestamp: 1795248001",
    "webhook-signature: v1,…",
  ]);
});
