import { type Database, inTransaction } from "@gatehouse/database";

/** Rows deleted by one statement. */
const batchMax = 5_000;
/** Time after which a project is removed whose deletion was never announced. */
const farewellWaitHours = 24;

/**
 * Shortest memory of an event's id, days: twice the time for which outboxes and the broker keep events that everyone has, and may
 * hand them out again, after a restore for example.
 */
const eventDaysMin = 14;

/** Deletes a batch of deliveries, and of ids of events, older than a number of days. @returns whether more remain */
export async function removeOld({ pool }: Database, retentionDays: number): Promise<boolean> {
  const deliveries = await pool.query(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries WHERE created_at < now() - $1 * interval '1 day' AND state = 'done'
       ORDER BY created_at LIMIT ${batchMax})`,
    [retentionDays],
  );
  const events = await pool.query(
    `DELETE FROM events WHERE id IN (
       SELECT id FROM events WHERE stored_at < now() - $1 * interval '1 day' ORDER BY stored_at LIMIT ${batchMax})
     AND stored_at < now() - $1 * interval '1 day'`,
    [Math.max(retentionDays, eventDaysMin)],
  );
  return deliveries.rowCount === batchMax || events.rowCount === batchMax;
}

/** Whether {@link removeDeleted} may have work: one statement instead of its six. */
export async function hasDeleted({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ readonly has_deleted: boolean }>({
    name: "webhook-has-deleted",
    text: `SELECT EXISTS (SELECT FROM projects WHERE deleted_at IS NOT NULL)
      OR EXISTS (SELECT FROM webhooks WHERE deleted_at IS NOT NULL) AS has_deleted`,
  });
  return rows[0]?.has_deleted === true;
}

/**
 * Removes a batch of deleted data: webhooks with their deliveries, and projects with their root keys once no delivery remains.
 * Without the root key, none of the project's secrets can be derived again.
 */
export async function removeDeleted(database: Database): Promise<void> {
  await inTransaction(database, async (client) => {
    await client.query(
      `UPDATE webhooks w SET deleted_at = now(), is_active = false FROM projects p
       WHERE p.uuid = w.project_uuid AND w.deleted_at IS NULL AND p.deleted_at IS NOT NULL
         AND (p.farewell OR p.deleted_at < now() - interval '${farewellWaitHours} hours')
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id AND d.state <> 'done')`,
    );
    await client.query(
      `DELETE FROM deliveries WHERE id IN (
         SELECT d.id FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id
         WHERE w.deleted_at IS NOT NULL AND d.state <> 'started' LIMIT ${batchMax})`,
    );
    await client.query(
      `DELETE FROM webhooks w WHERE w.deleted_at < now() - interval '1 minute'
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id)`,
    );
    await client.query(
      `DELETE FROM projects p WHERE p.deleted_at IS NOT NULL
         AND (p.farewell OR p.deleted_at < now() - interval '${farewellWaitHours} hours')
         AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.project_uuid = p.uuid)`,
    );
  });
}
