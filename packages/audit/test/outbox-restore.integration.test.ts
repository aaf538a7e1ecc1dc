import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createOutboxWorld, eventually, newEvent, type OutboxWorld } from "./outbox-world.ts";

let world: OutboxWorld;
beforeEach(async () => (world = await createOutboxWorld()));
afterEach(async () => await world.close());

const quick = { sweepIntervalMs: 10, pollIntervalMs: 10, backoffMinMs: 5 };

const storedNumbers = () => world.transport.stored.logbook.map(({ source }) => source?.number);

test("the statement in docs/operations.md publishes events again to a restored logbook", async () => {
  const { transport, database } = world;
  await world.record();
  world.startRelay(transport, { bounds: quick });
  const isConfirmed = async () => expect((await world.rows())[0]?.confirmed_at).toBeInstanceOf(Date);
  await eventually(isConfirmed);
  transport.silent.add("logbook");
  const { rowCount } = await database.pool.query(`UPDATE audit_outbox
SET confirmed_by = array_remove(confirmed_by, 'logbook'), confirmed_at = NULL, republish_at = now()
WHERE published_at IS NOT NULL AND (confirmed_at IS NULL OR confirmed_at >= now() - interval '1 minute')`);
  expect(rowCount).toBe(1);
  await eventually(() => expect(transport.stored.logbook).toHaveLength(2));
  // The webhooks' report alone is not enough.
  expect((await world.rows())[0]).toMatchObject({ confirmed_by: ["webhook-dispatcher"], confirmed_at: null });
  transport.silent.clear();
  await database.pool.query("UPDATE audit_outbox SET republish_at = now()");
  await eventually(isConfirmed);
  expect(storedNumbers()).toEqual([1, 1, 1]);
});

test("events wait while the table of the last number is empty, and the log has the statement that restores it", async () => {
  const { transport, database, telemetry } = world;
  const warn = vi.spyOn(telemetry.log, "warn");
  const relay = world.startRelay(transport, { bounds: { ...quick, lateAfterMs: 0, measureIntervalMs: 0 } });
  await world.record(newEvent("first"));
  await eventually(() => expect(transport.stored.logbook).toHaveLength(1));
  await database.pool.query("DELETE FROM audit_outbox_numbers");
  await world.record(newEvent("second"));
  const message = expect.stringMatching(
    /^service\.audit_outbox_numbers is empty, .* INSERT INTO service\.audit_outbox_numbers \(last\) VALUES/,
  ) as string;
  await eventually(() =>
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ err: expect.objectContaining({ message }) as unknown }),
      "Audit events cannot be published; they wait in the outbox.",
    ),
  );
  await eventually(() =>
    expect(relay.problems()).toEqual([expect.stringContaining("1 audit events wait to be published")]),
  );
  expect((await database.pool.query("SELECT 1 FROM audit_outbox_numbers")).rows).toEqual([]);
  await database.pool.query(
    "INSERT INTO audit_outbox_numbers (last) SELECT coalesce(max(number), 0) FROM audit_outbox",
  );
  await eventually(() => expect(storedNumbers()).toEqual([1, 2]));
});

test("an empty table of the last number does not delay an event that has its number", async () => {
  const { transport, database } = world;
  transport.isBlocked = true;
  await world.record();
  await database.pool.query("UPDATE audit_outbox SET number = 1");
  await database.pool.query("DELETE FROM audit_outbox_numbers");
  world.startRelay(transport, { bounds: quick });
  transport.isBlocked = false;
  await eventually(() => expect(transport.stored.logbook).toHaveLength(1));
});
