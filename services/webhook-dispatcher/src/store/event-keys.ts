import { type Database, reading } from "@gatehouse/database";

/** The keys that a webhook subscribes to; empty for an unknown one. */
export async function readWebhookKeys({ pool }: Database, webhookId: number): Promise<readonly string[]> {
  return await reading(async () => {
    const sql = "SELECT events FROM webhooks WHERE id::bigint = $1";
    return (await pool.query<{ events: string[] }>(sql, [webhookId])).rows[0]?.events ?? [];
  });
}

/** The key of a delivery's event, and those that its webhook subscribes to. */
export async function readDeliveryKeys({ pool }: Database, deliveryId: number): Promise<readonly string[]> {
  return await reading(async () => {
    const sql = `SELECT w.events || d.event AS events FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id = $1`;
    return (await pool.query<{ events: string[] }>(sql, [deliveryId])).rows[0]?.events ?? [];
  });
}
