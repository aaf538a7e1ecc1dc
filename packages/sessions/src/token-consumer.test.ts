import { expect, test } from "vitest";
import { createTokenConsumer } from "./token-consumer.ts";

test("sessions of deleted tokens are deleted, and every other message is ignored", async () => {
  const forgotten: number[] = [];
  const consumer = createTokenConsumer(async (ids) => void (await Promise.resolve(forgotten.push(...ids))));
  const whole = {
    id: "7b0e8d3a-0000-4000-8000-000000000000",
    severity: "notice",
    actor: "admin_key:ops",
    project: null,
    occurredAt: "2026-11-27T00:00:00.000Z",
  };
  const bodies = [
    { event: "token.deleted", metadata: { token_id: 7 } },
    { event: "token.revoked", metadata: { token_id: 8 } },
    { event: "project.deleted", target: '"token.deleted"', metadata: { token_id: 9 } },
    { event: "token.deleted", metadata: { token_id: "10" } },
    { event: "token.deleted" },
  ].map((event) => JSON.stringify({ ...whole, ...event }));
  await consumer.store(
    [...bodies, "null", '{"token.deleted"', '"token.deleted"', '{"event":"token.deleted"}'].map((body) => ({
      id: "i",
      body,
    })),
  );
  expect(forgotten).toEqual([7]);
});
