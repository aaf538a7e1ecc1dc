import type pg from "pg";
import { expect, test } from "vitest";
import { bothAnswers, inTransaction, type TransactionOptions } from "./in-transaction.ts";

/** Statements that a transaction of two sends before the first answer, and all of them. */
async function sent(options: TransactionOptions) {
  const texts: string[] = [];
  const gate = Promise.withResolvers<void>();
  const client = {
    async query(text: string) {
      texts.push(text);
      await gate.promise;
      return { rows: [] };
    },
    on: () => {},
    off: () => {},
    release: () => {},
  };
  const pool = { connect: async () => await Promise.resolve(client) } as unknown as pg.Pool;
  const work = async ({ query }: pg.PoolClient) => await Promise.all([query("first"), query("second")]);
  const running = inTransaction({ pool }, work, options);
  await new Promise((resolve) => setImmediate(resolve));
  const before = [...texts];
  gate.resolve();
  await running;
  return { before, texts };
}

test("statements of a pipelined transaction are sent with its beginning, and the commit after their answers", async () => {
  const { before, texts } = await sent({ isPipelined: true });
  expect(before).toEqual(["BEGIN", "first", "second"]);
  expect(texts).toEqual(["BEGIN", "first", "second", "COMMIT"]);
});

test("the statements of other transactions wait for the beginning", async () => {
  expect((await sent({})).before).toEqual(["BEGIN"]);
});

test("the error of the second statement does not hide that of the first, which may pass through more promises", async () => {
  const fail = async (name: string, steps: number) => {
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    throw new Error(name);
  };
  await expect(bothAnswers(fail("first", 5), fail("second", 0))).rejects.toThrow("first");
  await expect(bothAnswers(Promise.resolve(), fail("second", 0))).rejects.toThrow("second");
});
