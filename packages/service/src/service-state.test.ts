import { createLogger } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { createStateReader } from "./service-state.ts";
import { isReady } from "./service.ts";

test("concurrent reads count the backlogs once", async () => {
  let counted = 0;
  const backlogs = async () => {
    counted += 1;
    return await Promise.resolve([{ name: "deliveries to send", count: counted, oldestMs: 0 }]);
  };
  const read = createStateReader(
    async () => await Promise.resolve(isReady),
    [{ name: "deliveries", backlogs }],
    createLogger({ service: "test", level: "silent" }),
  );
  const states = await Promise.all(Array.from({ length: 100 }, async () => await read()));
  expect(states.map((state) => state.backlogs)).toEqual(
    states.map(() => [{ name: "deliveries to send", count: 1, oldestMs: 0 }]),
  );
  expect(counted).toBe(1);
});
