import { resourceNotFound } from "@gatehouse/admin";
import { type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import type { GatewayError } from "@gatehouse/errors";
import { sessionBounds } from "@gatehouse/sessions";
import { sessionDeleted } from "../events.ts";
import type { Prisma } from "../generated/prisma/client.ts";
import type { ChatStore, ChatWriteContext, Reader } from "./chat-store.ts";

/**
 * Session with its endpoint's slug and project and the number of its messages, without texts. `lastUsedAt` derives from the
 * expiry.
 */
export type SessionRecord = ReturnType<typeof toRecord>;

/** Filter of a list; an undefined member restricts nothing. */
interface SessionFilter {
  readonly projectUuid: string | undefined;
  readonly endpointUuid: string | undefined;
  readonly tokenId: number | undefined;
}

const ofEndpoint = { endpoint: { select: { projectUuid: true, slug: true } } } as const;
type SessionRow = Prisma.SessionGetPayload<{ include: typeof ofEndpoint }>;

/** Oldest first, without expired sessions that the sweeper has not deleted yet. */
export async function listSessions(
  context: ChatStore,
  { projectUuid, endpointUuid, tokenId }: SessionFilter,
  page: PageRequest,
): Promise<PageResult<SessionRecord>> {
  const filter = {
    expiresAt: { gt: new Date() },
    ...(projectUuid === undefined ? {} : { endpoint: { projectUuid } }),
    ...(endpointUuid === undefined ? {} : { endpointUuid }),
    ...(tokenId === undefined ? {} : { tokenId }),
  };
  const asRead = (record: SessionRecord) => record;
  return await readPage(page, asRead, async ({ after, ...query }) => {
    return await context.read(async (client) => {
      const rows = await client.session.findMany({ where: { ...filter, ...after }, include: ofEndpoint, ...query });
      return await withCounts(client, rows);
    });
  });
}

/** @throws GatewayError `not_found` for an unknown id */
export async function getSession(context: ChatStore, id: number): Promise<SessionRecord> {
  return await context.read(async (client) => await requireSession(client, id));
}

/** All stored messages, oldest first; a session's bounds limit them. */
export async function messagesOfSession(
  context: ChatStore,
  id: number,
): Promise<readonly { readonly role: string; readonly content: string }[]> {
  return await context.read(async (client) => {
    const newest = await client.sessionMessage.findMany({
      where: { sessionId: id },
      orderBy: { id: "desc" },
      take: sessionBounds.messagesMax,
      select: { role: true, content: true },
    });
    return newest.toReversed();
  });
}

/**
 * Deletes a session with its messages. A call that has its turn stores nothing.
 * @throws GatewayError `not_found` for an unknown id
 */
export async function deleteSession(context: ChatWriteContext, id: number): Promise<SessionRecord> {
  return await context.write(async (transaction) => {
    const result = await requireSession(transaction, id);
    const { count } = await transaction.session.deleteMany({ where: { id } });
    // Deleted concurrently by another call.
    if (count === 0) throw sessionNotFound(id);
    return { result, changes: [], events: [sessionDeleted(context.initiator, result)] };
  });
}

async function requireSession(client: Reader, id: number): Promise<SessionRecord> {
  const row = await client.session.findUnique({ where: { id }, include: ofEndpoint });
  const [record] = row === null ? [] : await withCounts(client, [row]);
  if (record === undefined) throw sessionNotFound(id);
  return record;
}

function sessionNotFound(id: number): GatewayError {
  return resourceNotFound("Session", id);
}

/** Counts the messages of one page of sessions; a session's bounds keep them few. */
async function withCounts(client: Reader, rows: readonly SessionRow[]): Promise<readonly SessionRecord[]> {
  const counts = await client.sessionMessage.groupBy({
    by: ["sessionId"],
    where: { sessionId: { in: rows.map(({ id }) => id) } },
    _count: true,
  });
  const countOf = new Map(counts.map(({ sessionId, _count }) => [sessionId, _count]));
  return rows.map((row) => toRecord(row, countOf.get(row.id) ?? 0));
}

function toRecord({ endpoint, turnOf: _call, turnUntil: _until, ...row }: SessionRow, messageCount: number) {
  return {
    ...row,
    ...endpoint,
    messageCount,
    // Each stored turn moves the expiry.
    lastUsedAt: new Date(row.expiresAt.getTime() - sessionBounds.idleMs),
  };
}
