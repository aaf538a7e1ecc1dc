import { findNatsServer, startNatsServer, type TestNatsServer } from "@gatehouse/events/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { type Json, uniqueName } from "../src/control-plane-client.ts";
import { findPostgresPrograms, type PostgresPair, startPostgresPair } from "../src/postgres-pair.ts";
import { startServices } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { createWorld, type World } from "./suite/world.ts";

/** The primary is killed under load and the standby takes over behind the same address, without notice to services. */

const programs = await findPostgresPrograms();
const broker = await findNatsServer();
const isPossible = programs !== undefined && broker !== undefined;
const soonMs = 60_000;

describe.skipIf(!isPossible)("services whose Postgres is replaced by its standby", () => {
  let postgres: PostgresPair;
  let nats: TestNatsServer;
  let world: World;
  beforeAll(async () => {
    postgres = await startPostgresPair(programs ?? "");
    nats = await startNatsServer(broker ?? "");
    const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url };
    world = await createWorld(async () => await startServices({ env }));
  });
  afterAll(async () => {
    await world.stop();
    await postgres.stop();
    await nats.remove();
  });

  test("nothing acknowledged is lost, and calls fail only as unavailable", async () => {
    const { control, product, primary, project, token } = world;
    primary.play(answer("ok"));
    const manyCalls = { rate_limit_per_minute: 1_000_000, rate_limit_per_hour: 10_000_000 };
    await control.call("svc_update_project", { project, ...manyCalls });
    const budgeted = await world.endpoint({ monthly_budget_usd: 1_000 });
    const plain = await world.endpoint();
    const over = new AbortController();
    const statuses: Record<string, number> = {};
    const withoutRetry: unknown[] = [];
    const call = async (path: string) => {
      while (!over.signal.aborted) {
        const { status, headers, body } = await send(product, path, { token, body: { message: "Hi" } });
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status !== 200 && (status !== 503 || headers.get("retry-after") === null))
          withoutRetry.push({ status, body });
      }
    };
    const created: string[] = [];
    const refusals: string[] = [];
    const administer = async () => {
      while (!over.signal.aborted) {
        const name = uniqueName("failover");
        const made = await control.request("tools/call", {
          name: "svc_create_project",
          arguments: { name, project_type: "ai_gateway" },
        });
        if (made.error === undefined) created.push(name);
        else refusals.push(made.error.message);
      }
    };
    const working = [call(budgeted.path), call(plain.path), administer()];
    const answered = () => statuses["200"] ?? 0;
    await expect.poll(() => Math.min(answered(), 20 * created.length), { timeout: soonMs }).toBeGreaterThan(100);

    await postgres.killPrimary();
    postgres.leadToStandby();
    // Sessions on a read-only server are refused, and retried.
    await expect.poll(() => postgres.connectionsToStandby(), { timeout: soonMs }).toBeGreaterThan(20);
    const before = { created: created.length, answered: answered() };
    await postgres.promote();
    await expect.poll(() => created.length - before.created, { timeout: soonMs }).toBeGreaterThan(5);
    await expect.poll(() => answered() - before.answered, { timeout: soonMs }).toBeGreaterThan(100);
    over.abort();
    await Promise.all(working);

    expect(withoutRetry).toEqual([]);
    expect(refusals.filter((message) => !/unavailable|not available/.test(message))).toEqual([]);
    const stored = await allOf("svc_list_projects", "projects");
    const names = new Set(stored.map(({ name }) => name));
    expect(created.filter((name) => !names.has(name))).toEqual([]);
    // Each created project has one event, and the chain is intact.
    const told = async () => {
      const events = await allOf("svc_query_audit_log", "entries", { event: "project.created" });
      return events.length;
    };
    await expect.poll(told, { timeout: soonMs }).toBe(stored.length);
    expect(await control.call("svc_verify_audit_log")).toMatchObject({ ok: true, faults: [] });
    // Answered calls are counted.
    const requests = async () => {
      const { total } = await control.call<{ total: { requests: number } }>("svc_get_usage", { project });
      return total.requests;
    };
    await expect.poll(requests, { timeout: soonMs }).toBeGreaterThanOrEqual(answered());
  }, 240_000);

  /** Every page of a list. */
  async function allOf(name: string, field: string, args: Json = {}): Promise<readonly Json[]> {
    const found: Json[] = [];
    for (let cursor: unknown; ;) {
      const page = await world.control.call(name, {
        ...args,
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
      });
      found.push(...(page[field] as Json[]));
      cursor = page["next_cursor"] ?? undefined;
      if (cursor === undefined) return found;
    }
  }
});
