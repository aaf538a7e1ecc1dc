import { answered, type Database, reading } from "@gatehouse/database";
import { invalidArgument } from "@gatehouse/errors";
import { excerpt } from "@gatehouse/json-rpc";
import { Pace } from "@gatehouse/pace";
import type { KeptUpstream } from "../domain/listing.ts";
import type { ToolPin } from "../domain/tool-pins.ts";
import type { ListedTool } from "../domain/tool-shape.ts";
import { toProtocolMode } from "../domain/upstream.ts";
import type { Prisma } from "../generated/prisma/client.ts";
import { readKeptTools } from "./kept-tools.ts";
import type { UpstreamTransaction } from "./upstream-store.ts";

interface CatalogueRow {
  readonly upstream_id: number;
  readonly era: string;
  readonly listed_at: Date;
}

interface PinRow {
  readonly name: string;
  readonly approved_hash: string;
  readonly seen_hash: string | null;
}

/** Stored state of upstreams, by id. Read sequentially: each may have many mebibytes. */
export async function readKept(
  { pool }: Database,
  upstreamIds: readonly number[],
): Promise<ReadonlyMap<number, KeptUpstream>> {
  return await reading(async () => {
    const { rows } = await answered(
      async () => await pool.query<CatalogueRow>("SELECT * FROM catalogues WHERE upstream_id = ANY($1)", [upstreamIds]),
    );
    const catalogues = new Map(rows.map((row) => [row.upstream_id, row]));
    const kept = new Map<number, KeptUpstream>();
    const pace = new Pace();
    for (const id of upstreamIds) {
      const row = catalogues.get(id);
      const catalogue =
        row === undefined
          ? undefined
          : { tools: await readTools(pool, id, pace), protocolMode: toProtocolMode(row.era), listedAt: row.listed_at };
      kept.set(id, { catalogue, pins: await readPins(pool, id) });
    }
    return kept;
  });
}

/** Runs statements: a pool, or a connection with a transaction. */
export type Questions = Pick<Database["pool"], "query">;

/** Approvals of an upstream's tools, by name. */
export async function readPins(questions: Questions, upstreamId: number): Promise<ReadonlyMap<string, ToolPin>> {
  const sql = "SELECT name, approved_hash, seen_hash FROM tool_pins WHERE upstream_id = $1";
  const { rows } = await questions.query<PinRow>(sql, [upstreamId]);
  return new Map(
    rows.map(({ name, approved_hash: approvedHash, seen_hash: seenHash }) => {
      return [name, { name, approvedHash, seenHash: seenHash ?? undefined }];
    }),
  );
}

async function readTools(questions: Questions, upstreamId: number, pace: Pace): Promise<readonly ListedTool[]> {
  const sql = "SELECT tools_json FROM catalogue_parts WHERE upstream_id = $1 ORDER BY part";
  const { rows } = await questions.query<{ readonly tools_json: string }>(sql, [upstreamId]);
  const tools: ListedTool[] = [];
  for (const { tools_json: text } of rows) for (const tool of await readKeptTools(text, pace)) tools.push(tool);
  return tools;
}

/** Present definitions of the tools named, or of all where none is named; or the definitions with the given hashes, each of one tool. */
export type ApprovalChoice = { readonly names: readonly string[] } | { readonly hashes: readonly string[] };

/**
 * Approves changed definitions.
 * @returns the names of the newly approved tools
 * @throws GatewayError `invalid_argument` with the names that the upstream has never shown, or the hashes of definitions
 *   that it no longer shows
 */
export async function approveTools(
  transaction: UpstreamTransaction,
  upstreamId: number,
  choice: ApprovalChoice,
): Promise<readonly string[]> {
  const chosen = await checkChoice(transaction, upstreamId, choice);
  const pins = await transaction.toolPin.findMany({
    where: { upstreamId, seenHash: { not: null }, ...chosen },
    orderBy: { name: "asc" },
  });
  for (const { name, seenHash, seenDefinition } of pins) {
    if (seenHash === null || seenDefinition === null) continue;
    const approved = { approvedHash: seenHash, approvedDefinition: seenDefinition, approvedAt: new Date() };
    await transaction.toolPin.update({
      where: { upstreamId_name: { upstreamId, name } },
      data: { ...approved, seenHash: null, seenDefinition: null },
    });
  }
  return pins.map(({ name }) => name);
}

async function checkChoice(
  transaction: UpstreamTransaction,
  upstreamId: number,
  choice: ApprovalChoice,
): Promise<Prisma.ToolPinWhereInput> {
  if ("hashes" in choice) {
    await requireShown(transaction, upstreamId, choice.hashes);
    return { seenHash: { in: [...choice.hashes] } };
  }
  const { names } = choice;
  if (names.length === 0) return {};
  await requireKnown(transaction, upstreamId, names);
  return { name: { in: [...names] } };
}

/** A definition approved before is shown, too, so that an approval may be repeated. */
async function requireShown(
  transaction: UpstreamTransaction,
  upstreamId: number,
  hashes: readonly string[],
): Promise<void> {
  const among = { in: [...hashes] };
  const pins = await transaction.toolPin.findMany({
    where: { upstreamId, OR: [{ seenHash: among }, { seenHash: null, approvedHash: among }] },
    select: { approvedHash: true, seenHash: true },
  });
  const shown = new Set(pins.map(({ approvedHash, seenHash }) => seenHash ?? approvedHash));
  const gone = hashes.filter((hash) => !shown.has(hash));
  if (gone.length === 0) return;
  const problem = `No tool of the upstream has the definition with fingerprint ${list(gone)} any more; nothing was approved.`;
  throw invalidArgument(`${problem} List the tools and review them again.`);
}

/** Names or hashes in one message. */
const namedMax = 10;
const nameLengthMax = 100;

async function requireKnown(
  transaction: UpstreamTransaction,
  upstreamId: number,
  names: readonly string[],
): Promise<void> {
  const where = { upstreamId, name: { in: [...names] } };
  const pins = await transaction.toolPin.findMany({ where, select: { name: true } });
  const known = new Set(pins.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const problem = `The upstream has no tools named ${list(unknown)}.`;
  throw invalidArgument(`${problem} Name tools without the prefix, as svc_list_upstream_tools lists them.`);
}

function list(texts: readonly string[]): string {
  const named = texts.slice(0, namedMax).map((text) => excerpt(text, nameLengthMax));
  const more = texts.length > namedMax ? ` and ${texts.length - namedMax} more` : "";
  return `${named.join(", ")}${more}`;
}
