import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { AuditEvent } from "@gatehouse/audit";
import { parseKeyring, Secret } from "@gatehouse/vault";
import pg from "pg";
import {
  createIdle,
  createWebhook,
  newEvent,
  newProject,
  type Replica,
  type TestProject,
  testConfig,
} from "../fixture.ts";
import { type Behaviour, type LedgerArrival, type Receivers, startReceivers } from "./receivers.ts";

export interface LedgerWebhook {
  readonly id: number;
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly project: TestProject;
}

/** Deliveries that were created, recorded and received. */
export interface Ledger {
  readonly keyring: string;
  readonly receivers: Receivers;
  readonly webhooks: readonly LedgerWebhook[];
  /** Events that a dispatcher has confirmed as stored. */
  readonly committed: AuditEvent[];
  /** Event ids of the driver, by the ids that an outbox assigned. */
  readonly aliases: Map<string, string>;
  /** Administers webhooks, in a process that dispatches nothing. */
  readonly admin: Replica["admin"];
  newEvent(): AuditEvent;
  /** Sends an event until a dispatcher confirms that it is stored. */
  feed(event: AuditEvent, store: Store): Promise<void>;
  /** Waits until every delivery of every committed event has ended. */
  settle(timeoutMs: number): Promise<void>;
  check(): Promise<LedgerReport>;
  stop(): Promise<void>;
}

export type Store = (messages: readonly { id: string; body: string; attempt: number }[]) => Promise<boolean>;

export interface LedgerReport {
  readonly events: number;
  readonly pairs: number;
  readonly records: number;
  readonly arrivals: number;
  readonly succeeded: number;
  readonly interrupted: number;
  /** Each broken invariant, with an example; empty where all hold. */
  readonly violations: readonly string[];
}

export interface LedgerOptions {
  readonly databaseUrl: string;
  readonly behaviours: readonly Behaviour[];
}

export async function openLedger({ databaseUrl, behaviours }: LedgerOptions): Promise<Ledger> {
  const keyring = `k1:${randomBytes(32).toString("base64")}`;
  const receivers = await startReceivers();
  const keys = parseKeyring(new Secret(keyring));
  const replica = await createIdle(testConfig(databaseUrl, { keyring: keys, databaseConnectionsMax: 3 }));
  const project = newProject("Ledger");
  const webhooks: LedgerWebhook[] = [];
  for (const [index, behaviour] of behaviours.entries()) {
    const name = `${behaviour}-${index}`;
    const { id, secret } = await createWebhook(replica, `${receivers.url}/${behaviour}/${name}`, { project, name });
    receivers.secrets.set(name, [secret]);
    webhooks.push({ id, name, behaviour, project });
  }
  const committed: AuditEvent[] = [];
  const aliases = new Map<string, string>();
  return {
    keyring,
    receivers,
    webhooks,
    committed,
    aliases,
    admin: replica.admin,
    newEvent() {
      const event = newEvent(project);
      return { ...event, target: event.id };
    },
    async feed(event, store) {
      const message = { id: event.id, body: JSON.stringify(event), attempt: 0 };
      while (!(await store([message]))) await delay(20);
      committed.push(event);
    },
    settle: async (timeoutMs) => await settle(databaseUrl, { webhooks, committed }, timeoutMs),
    check: async () => await check(databaseUrl, { webhooks, committed, aliases, arrivals: receivers.arrivals }),
    async stop() {
      await replica.service.stop();
      await receivers.stop();
    },
  };
}

interface Row {
  readonly event_id: string;
  readonly webhook_id: number;
  readonly uuid: string;
  readonly state: string;
  readonly success: boolean | null;
  readonly http_status: number | null;
  readonly error: string | null;
}

async function readRows(databaseUrl: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(
      `SELECT event_id, webhook_id, uuid, state, success, http_status, error
       FROM webhook_dispatcher.deliveries WHERE event_id IS NOT NULL`,
    );
    return rows;
  } finally {
    await client.end().catch(() => {});
  }
}

interface Expected {
  readonly webhooks: readonly LedgerWebhook[];
  readonly committed: readonly AuditEvent[];
}

async function settle(databaseUrl: string, expected: Expected, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const rows = await readRows(databaseUrl).catch(() => []);
    const ended = rows.filter(({ state }) => state === "done").length;
    if (ended === rows.length && ended >= expected.committed.length * expected.webhooks.length) return;
    if (performance.now() > until) {
      throw new Error(`Deliveries did not settle within ${timeoutMs} ms: ${ended} of ${rows.length} have ended.`);
    }
    await delay(50);
  }
}

interface Found extends Expected {
  readonly aliases: ReadonlyMap<string, string>;
  readonly arrivals: readonly LedgerArrival[];
}

const pairOf = (eventId: string, name: string) => `${eventId} → ${name}`;

async function check(databaseUrl: string, found: Found): Promise<LedgerReport> {
  const { webhooks, committed, arrivals, aliases } = found;
  const rows = await readRows(databaseUrl);
  const names = new Map(webhooks.map(({ id, name }) => [id, name]));
  const records = Map.groupBy(rows, (row) =>
    pairOf(aliases.get(row.event_id) ?? row.event_id, names.get(row.webhook_id) ?? "?"),
  );
  const arrived = Map.groupBy(arrivals, ({ eventId, name }) => pairOf(eventId, name));
  const pairs = committed.flatMap((event) => webhooks.map(({ name }) => pairOf(event.id, name)));
  const violations = [
    ...violated("I1: one record for each pair", pairs, (pair) => records.get(pair)?.length === 1),
    ...violated("I1: every record has ended", rows, ({ state }) => state === "done"),
    ...violated("I1: no record without an event", [...records.keys()], (pair) => isExpected(pair, pairs)),
    ...violated("I2: one arrival at most", [...arrived.keys()], (pair) => arrived.get(pair)?.length === 1),
    ...violated("I2: no arrival without a record", [...arrived.keys()], (pair) => records.has(pair)),
    ...violated("I3: what succeeded has arrived", [...records], ([pair, [row]]) => !row?.success || arrived.has(pair)),
    ...violated("I4: what arrived and failed says why", [...arrived.keys()], (pair) =>
      isExplained(records.get(pair)?.[0]),
    ),
    ...violated("I4: what failed says why", rows, isExplained),
    ...violated("I5: every arrival verifies", arrivals, (each) => each.signedBy >= 0 && each.standardBy.length > 0),
  ];
  return {
    events: committed.length,
    pairs: pairs.length,
    records: rows.length,
    arrivals: arrivals.length,
    succeeded: rows.filter(({ success }) => success === true).length,
    interrupted: rows.filter(({ error }) => error?.startsWith("interrupted") === true).length,
    violations,
  };
}

/** A killed dispatcher may have stored events without confirming them, which the driver stopped repeating at the end. */
function isExpected(pair: string, pairs: readonly string[]): boolean {
  return pairSet(pairs).has(pair);
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

function pairSet(pairs: readonly string[]): ReadonlySet<string> {
  const set = sets.get(pairs) ?? new Set(pairs);
  sets.set(pairs, set);
  return set;
}

function isExplained(row: Row | undefined): boolean {
  return row?.success === true || (row?.error ?? "") !== "";
}

function violated<T>(name: string, items: readonly T[], holds: (item: T) => boolean): string[] {
  const broken = items.filter((item) => !holds(item));
  return broken.length === 0 ? [] : [`${name}: ${broken.length} times, such as ${JSON.stringify(broken[0])}`];
}
