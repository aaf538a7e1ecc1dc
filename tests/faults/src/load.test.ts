import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runLoad } from "./load.ts";
import { Tally } from "./tally.ts";
import type { Kind } from "./traffic.ts";

test("a delayed driver sends at most ten seconds of calls at once, and counts the others as failed", async () => {
  const held: (() => void)[] = [];
  const server = createServer((_req, res) => void held.push(() => res.end()));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const kind: Kind = { name: "api", share: 1, method: "GET", path: "/", token: "t" };
  const tally = new Tally();
  const over = new AbortController();
  const rate = 2;
  const load = runLoad(
    { traffic: { kinds: [kind] }, balancer: { choose: () => [`http://127.0.0.1:${port}`] }, rate, tally },
    over.signal,
    // A clock that was held up for a minute at its second reading.
    (
      (times) => () =>
        times.shift() ?? 60_000
    )([0]),
  );
  await expect.poll(() => tally.calls).toBe(60 * rate);
  await expect.poll(() => held.length).toBe(10 * rate);
  expect(tally.inFlight).toBe(10 * rate);
  over.abort();
  for (const end of held) end();
  await load;
  expect([...tally.failures]).toEqual([["api not sent", 50 * rate]]);
  server.close();
});
