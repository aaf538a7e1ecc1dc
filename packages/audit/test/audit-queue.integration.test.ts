import type { Database } from "@gatehouse/database";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { AuditQueue } from "../src/index.ts";
import { newEvent, createOutboxWorld } from "./outbox-world.ts";

test("events whose commit was not answered are recorded once", async () => {
  const world = await createOutboxWorld();
  const { pool } = world.database;
  let isLost = true;
  const losing = {
    async query(sql: string, values: unknown[]) {
      const answer = await pool.query(sql, values);
      if (!isLost) return answer;
      isLost = false;
      throw new Error("Connection terminated unexpectedly");
    },
  };
  const queue = new AuditQueue({ pool: losing } as unknown as Database, createSilentTelemetry().log, () => {});
  await Promise.all(["a", "b"].map(async (target) => await queue.add(newEvent(target))));
  await queue.stop();
  const { rows } = await pool.query("SELECT body::jsonb->>'target' AS target FROM audit_outbox ORDER BY seq");
  expect(rows).toEqual([{ target: "a" }, { target: "b" }]);
  await world.close();
});
