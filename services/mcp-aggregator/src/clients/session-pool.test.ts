import { expect, test } from "vitest";
import type { Channel } from "./channel.ts";
import { SessionPool, SessionTotal } from "./session-pool.ts";

const channel: Channel = {
  hadHandshake: true,
  send: async () => await Promise.reject(new Error("Nothing is sent.")),
  notify: async () => await Promise.resolve(),
  close: async () => await Promise.resolve(),
};

function openPools(sessionsMax: number, totalMax: number) {
  const total = new SessionTotal(totalMax);
  const pools = [1, 2].map(() => new SessionPool(sessionsMax, total, 1_000, () => 0));
  const [one = never(), other = never()] = pools;
  const use = async (pool: SessionPool, key: string) =>
    await pool.use(
      key,
      async () => await Promise.resolve(channel),
      async () => await Promise.resolve(),
    );
  return { total, one, other, use };
}

function never(): never {
  throw new Error("There are two pools.");
}

test("the sessions of all pools have a common bound, beyond which a pool ends an idle one", async () => {
  const { total, one, other, use } = openPools(10, 3);
  for (const key of ["a", "b"]) await use(one, key);
  for (const key of ["a", "b", "c"]) await use(other, key);
  expect([total.open, one.size, other.size]).toEqual([3, 2, 1]);
  await one.close();
  expect([total.open, one.size]).toEqual([1, 0]);
});

test("a pool without an idle session is busy when all pools are full, and opens one when there is room", async () => {
  const { total, one, other, use } = openPools(10, 1);
  await use(one, "a");
  await expect(use(other, "a")).rejects.toMatchObject({ kind: "busy", wasSent: false });
  await one.close();
  await use(other, "a");
  expect(total.open).toBe(1);
});

test("a session that could not be opened is not counted", async () => {
  const { total, one } = openPools(10, 10);
  const fails = one.use(
    "a",
    async () => await Promise.reject(new Error("no")),
    async () => await Promise.resolve(),
  );
  await expect(fails).rejects.toThrow("no");
  expect([total.open, one.size]).toEqual([0, 0]);
});

test("a closed pool opens no session, which nothing would end", async () => {
  const { total, one, use } = openPools(10, 10);
  await one.close();
  await expect(use(one, "a")).rejects.toMatchObject({ kind: "withdrawn", wasSent: false });
  expect(total.open).toBe(0);
});
