import { expect, test } from "vitest";
import { createTokenConsumer } from "./forget-tokens.ts";

test("the tokens of their deletions are forgotten, and every other message is passed over", async () => {
  const forgotten: number[] = [];
  const consumer = createTokenConsumer(async (ids) => void (await Promise.resolve(forgotten.push(...ids))));
  const bodies = [
    { event: "token.deleted", metadata: { token_id: 7 } },
    { event: "token.revoked", metadata: { token_id: 8 } },
    { event: "project.deleted", target: '"token.deleted"', metadata: { token_id: 9 } },
    { event: "token.deleted", metadata: { token_id: "10" } },
    { event: "token.deleted" },
    null,
  ].map((body) => JSON.stringify(body));
  await consumer.store([...bodies, '{"token.deleted"', '"token.deleted"'].map((body) => ({ id: "i", body })));
  expect(forgotten).toEqual([7]);
});
