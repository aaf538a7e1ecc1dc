import { reading } from "@gatehouse/database";
import type { DatabaseKernel, Reading } from "@gatehouse/service";
import { type LogPage, type LogRange, toLogPage } from "../domain/log-query.ts";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

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

/** Reads the audit log by Prisma, on a client that only reads. */
export function createAuditReader(kernel: DatabaseKernel): AuditReader {
  const prisma = kernel.openReader((adapter) => new PrismaClient({ adapter }));
  return { query: async (query) => await queryAuditLog(prisma, query) };
}

async function queryAuditLog(prisma: Reading<PrismaClient>, query: AuditQuery): Promise<LogPage<AuditedChange>> {
  const { range, projectUuid, event, severity, target } = query;
  const rows = await reading(
    async () =>
      await prisma.auditEntry.findMany({
        where: {
          ...(projectUuid === undefined ? {} : { chain: projectUuid }),
          ...(event === undefined ? {} : { event }),
          ...(severity === undefined ? {} : { severity }),
          ...(target === undefined ? {} : { target }),
          AND: toConditions(range),
        },
        orderBy: [{ at: "desc" }, { id: "desc" }],
        take: range.take + 1,
      }),
  );
  return toLogPage(rows.map(fromRow), range.take);
}

function toConditions({ since, until, before }: LogRange): Prisma.AuditEntryWhereInput[] {
  const conditions: Prisma.AuditEntryWhereInput[] = [];
  if (since !== undefined) conditions.push({ at: { gte: since } });
  if (until !== undefined) conditions.push({ at: { lt: until } });
  if (before === undefined) return conditions;
  const at = new Date(before.atMs);
  // The first condition says no more than the second, but an index can use it.
  return [...conditions, { at: { lte: at } }, { OR: [{ at: { lt: at } }, { id: { lt: BigInt(before.id) } }] }];
}

function fromRow(row: Prisma.AuditEntryGetPayload<object>): AuditedChange {
  const { at, event, severity, actor, projectId, projectUuid, projectName, target, metadata, ipAddress, eventId } = row;
  const project =
    projectId === null || projectUuid === null
      ? undefined
      : { id: projectId, uuid: projectUuid, name: projectName ?? "" };
  return { id: String(row.id), at, event, severity, actor, project, target, metadata, ipAddress, eventId };
}
