import type { Database } from "@gatehouse/database";
import { createLogger } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import type { LogbookMetrics } from "../metrics.ts";
import { createGatewayLogConsumer } from "./gateway-log-consumer.ts";
import type { PartitionKeeper } from "./partition-keeper.ts";

const refusedText = "a text of the entry";

test("a message that Postgres refuses is counted, and logged with the reason and without its texts", async () => {
  const refusal = Object.assign(new Error(`invalid input syntax for type uuid: "${refusedText}"`), {
    code: "22P02",
    detail: refusedText,
    where: `unnamed portal parameter $1 = '${refusedText}'`,
    column: "project_uuids",
    routine: "string_to_uuid",
  });
  const pool = { query: async () => await Promise.reject(refusal) };
  const lines: string[] = [];
  const refused: number[] = [];
  const metrics: LogbookMetrics = {
    storedRequests: () => {},
    storedEvents: () => {},
    unsentRequests: () => {},
    refused: (_log, count) => void refused.push(count),
  };
  const consumer = createGatewayLogConsumer({
    database: { pool, schema: "logbook" } as unknown as Database,
    partitions: { since: new Date(0), nowMs: Date.now() } as unknown as PartitionKeeper,
    keepsRows: true,
    handOn: undefined,
    metrics,
    log: createLogger({ service: "test", level: "info", destination: { write: (line) => void lines.push(line) } }),
  });
  const entry = { at_ms: Date.now(), request_id: "r", route: "chat_direct", status: 200, duration_ms: 1, attempts: 1 };
  const body = JSON.stringify([entry, { ...entry, error: refusedText }]);
  await consumer.store([{ id: "m1", body }]);
  await consumer.store([{ id: "m2", body }]);
  expect(refused).toEqual([2, 2]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("SQLSTATE 22P02, column project_uuids, routine string_to_uuid");
  expect(lines[0]).not.toContain(refusedText);
});
