import { GatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { LeaseRefills } from "./lease-refills.ts";
import { LedgerOutage } from "./ledger-outage.ts";

test("a failure pauses refills, except of a ledger that has answered another renewal since", async () => {
  const clock = () => 1_000;
  const outage = new LedgerOutage(clock);
  let [asked, isAway] = [0, true];
  const refills = new LeaseRefills<object>(
    async () =>
      await outage.watch(async () => {
        asked += 1;
        if (isAway) await Promise.reject(new GatewayError("unavailable", "away"));
      }),
    clock,
    outage,
  );
  const lease = {};
  await expect(refills.refill(lease, 1)).rejects.toMatchObject({ code: "unavailable" });
  await expect(refills.refill(lease, 1)).rejects.toMatchObject({ code: "unavailable" });
  expect(asked).toBe(1);
  isAway = false;
  await outage.watch(async () => await Promise.resolve());
  await refills.refill(lease, 1);
  expect(asked).toBe(2);
});
