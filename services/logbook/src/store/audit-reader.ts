import { type Database, reading } from "@gatehouse/database";
import { type LogPage, type LogRange, toLogPage } from "../domain/log-query.ts";
import { Conditions } from "./conditions.ts";

interface AuditQuery {
  readonly range: LogRange;
  readonly projectUuid: string | undefined;
  readonly event: string | undefined;
  readonly severity: string | undefined;
  /** The name of the changed thing, exactly. */
  readonly target: string | undefined;
}

/** A row of the audit log, without its place in the chain. */
export interface AuditedChange {
  readonly id: string;
  readonly at: Date;
  readonly event: string;
  readonly severity: string;
  readonly actor: string;
  readonly project: { readonly id: number; readonly uuid: string; readonly name: string } | undefined;
  readonly target: string;
  readonly metadata: string;
  readonly ipAddress: string;
  readonly eventId: string;
}

/** Answers questions about changes. */
export interface AuditReader {
  /** Newest first. @throws GatewayError `unavailable` while Postgres is away. */
  query(query: AuditQuery): Promise<LogPage<AuditedChange>>;
}

/** Reads the audit log, each page from one span of an index. */
export function createAuditReader(database: Database): AuditReader {
  return { query: async (query) => await queryAuditLog(database, query) };
}

const selected = `id, at, event, severity, actor, project_id AS "projectId", project_uuid AS "projectUuid",
  project_name AS "projectName", target, metadata, ip_address AS "ipAddress", event_id AS "eventId"`;

async function queryAuditLog({ pool }: Database, query: AuditQuery): Promise<LogPage<AuditedChange>> {
  const { text, values } = selectEntries(query);
  const { rows } = await reading(async () => await pool.query<AuditRow>(text, [...values]));
  return toLogPage(rows.map(fromRow), query.range.take);
}

type Filter = readonly [column: string, value: string];

/**
 * The project and one other filter are compared as one row with time and id, and lead the order too, so that only the index of these
 * columns has that order. By equality and time alone, Postgres may read an index of more rows backward and leave out most of them: it
 * takes the rows of a filter for evenly spread over time and over the other filters, and reads the whole log where they are not.
 */
function selectEntries({ range, projectUuid, event, severity, target }: AuditQuery) {
  const [narrowest, ...others] = given(["target", target], ["event", event], ["severity", severity]);
  const leading = [...given(["chain", projectUuid]), ...(narrowest === undefined ? [] : [narrowest])];
  const columns = [
    ...leading.map(([name]) => [name, "text"] as const),
    ["at", "timestamptz"],
    ["id", "bigint"],
  ] as const;
  const sought = leading.map(([, value]) => value);
  const where = new Conditions();
  where.addSpan(columns, { first: [...sought, ...startOf(range)], last: [...sought, ...endOf(range)] });
  for (const [name, value] of others) where.add((parameter) => `${name} = ${parameter}`, value);
  const order = columns.map(([name]) => `${name} DESC`).join(", ");
  const text = `SELECT ${selected} FROM audit_log ${where.text} ORDER BY ${order} LIMIT ${range.take + 1}`;
  return { text, values: where.values };
}

function given(...filters: readonly (readonly [column: string, value: string | undefined])[]): readonly Filter[] {
  return filters.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]));
}

/** Time and id at or before those of the first row; ids begin with 1. */
function startOf({ since }: LogRange): readonly [at: Date | string, id: bigint] {
  return [since ?? "-infinity", 0n];
}

/** Time and id at or after those of the last row. */
function endOf({ until, before }: LogRange): readonly [at: Date | string, id: bigint] {
  if (before === undefined || (until !== undefined && until.getTime() <= before.atMs)) return [until ?? "infinity", 0n];
  return [new Date(before.atMs), BigInt(before.id) - 1n];
}

interface AuditRow extends Omit<AuditedChange, "project"> {
  readonly projectId: number | null;
  readonly projectUuid: string | null;
  readonly projectName: string | null;
}

function fromRow({ projectId, projectUuid, projectName, ...entry }: AuditRow): AuditedChange {
  const project =
    projectId === null || projectUuid === null
      ? undefined
      : { id: projectId, uuid: projectUuid, name: projectName ?? "" };
  return { ...entry, project };
}
