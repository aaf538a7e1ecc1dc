import type { GatewayLogEntry } from "@gatehouse/gateway-log";
import { toLogMessage } from "@gatehouse/gateway-log/testing";
import { expect, test } from "vitest";
import { readMessage } from "./read-message.ts";

const uuid = "0b2f7b8e-3c57-4a6d-9f1e-0123456789ab";
const published: GatewayLogEntry = {
  atMs: 1_000.4,
  requestId: "r",
  projectUuid: uuid,
  route: "chat_direct",
  status: 200,
  durationMs: 1.5,
};

test.each<[string, Partial<GatewayLogEntry>]>([
  ["NUL in its texts", { requestId: "\0", error: "a\0b", details: { tool: "\0", n: 1 } }],
  ["lone surrogates in its texts", { requestId: "\ud800", model: "\udfff", details: { tool: "\ud800" } }],
  ["texts and details beyond their bounds", { requestId: "x".repeat(2_000), details: { note: "x".repeat(5_000) } }],
  ["numbers beyond their bounds", { status: 1e12, promptTokens: -1e12, costMicros: 1e300, durationMs: -1 }],
  ["numbers that are none", { atMs: Number.NaN, completionTokens: Number.NaN, costMicros: Number.NaN }],
  ["no uuid", { projectUuid: "shop" }],
  ["no uuid, after an entry of the same project", { endpointUuid: `${uuid}\n` }],
])("a message of this process and its body have the same entries: one with %s", (_name, changes) => {
  const other = "11111111-3c57-4a6d-9f1e-0123456789ab";
  const entries = [published, { ...published, ...changes }, { ...published, projectUuid: other }, published];
  const message = toLogMessage(entries);
  const read = readMessage(message);
  const encoded = { id: message.id, body: message.body };
  expect(readMessage(encoded)).toEqual(read);
  expect(read.entries).toHaveLength("projectUuid" in changes || "endpointUuid" in changes ? 3 : 4);
});
