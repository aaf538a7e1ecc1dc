import { recordEvent } from "@gatehouse/audit";
import { type Database, reading } from "@gatehouse/database";
import type { KeptCatalogue, KeptUpstream, Listing } from "../domain/listing.ts";
import { Pace } from "../domain/pace.ts";
import { comparePins, type PinChanges, type ToolPin } from "../domain/tool-pins.ts";
import type { ListedTool } from "../domain/tool-shape.ts";
import { type Era, toEra, type Upstream } from "../domain/upstream.ts";
import { upstreamToolsChanged } from "../events.ts";
import type { UpstreamTransaction, UpstreamTransactor } from "./aggregator-store.ts";
import { encodeKeptTools, readKeptTools } from "./kept-tools.ts";
import { projectOf } from "./upstreams.ts";

interface CatalogueRow {
  readonly upstream_id: number;
  readonly tools_json: string;
  readonly era: string;
  readonly listed_at: Date;
}

interface PinRow {
  readonly upstream_id: number;
  readonly name: string;
  readonly approved_hash: string;
  readonly seen_hash: string | null;
}

/** What is kept of upstreams, by their ids; those of which nothing is kept are absent. */
export async function readKept(
  { pool }: Database,
  upstreamIds: readonly number[],
): Promise<ReadonlyMap<number, KeptUpstream>> {
  const [catalogues, pins] = await reading(async () => {
    return await Promise.all([
      pool.query<CatalogueRow>("SELECT * FROM catalogues WHERE upstream_id = ANY($1)", [upstreamIds]),
      pool.query<PinRow>(
        "SELECT upstream_id, name, approved_hash, seen_hash FROM tool_pins WHERE upstream_id = ANY($1)",
        [upstreamIds],
      ),
    ]);
  });
  const pace = new Pace();
  const kept = new Map<number, { catalogue: KeptCatalogue | undefined; readonly pins: Map<string, ToolPin> }>();
  for (const id of upstreamIds) kept.set(id, { catalogue: undefined, pins: new Map() });
  for (const row of pins.rows) kept.get(row.upstream_id)?.pins.set(row.name, toPin(row));
  for (const row of catalogues.rows) {
    const of = kept.get(row.upstream_id);
    if (of !== undefined) of.catalogue = await toCatalogue(row, pace);
  }
  return kept;
}

/**
 * Definitions that are kept of one upstream, present and past: a hostile one may show new names without end. Beyond it new tools get
 * no pin, which `on_tools_changed: block` refuses.
 */
const pinsMax = 20_000;

export interface ListingParts {
  readonly upstream: Upstream;
  readonly listing: Listing;
  readonly era: Era;
  readonly listedAt: Date;
}

/**
 * Writes a listing down and holds it against the approved definitions. What is seen for the first time is trusted; what differs is
 * told by one `upstream.tools_changed`, whichever replica comes first. Undefined where the upstream is not registered any more.
 */
export async function keepListing(
  transact: UpstreamTransactor,
  { upstream, listing, era, listedAt }: ListingParts,
): Promise<ReadonlyMap<string, ToolPin> | undefined> {
  return await transact(async (transaction) => {
    const upstreamId = upstream.id;
    // Replicas that list at the same time take turns.
    await transaction.$queryRaw`SELECT 1 FROM upstreams WHERE id = ${upstreamId} FOR UPDATE`;
    const row = await transaction.upstream.findUnique({ where: { id: upstreamId } });
    if (row === null || row.url !== upstream.url) return undefined;
    const pins = await readPins(transaction, upstreamId);
    const changes = comparePins(listing.tools, pins);
    await savePins(transaction, upstream, { ...changes, added: changes.added.slice(0, pinsMax - pins.size) });
    const known = await readKnownNames(transaction, upstreamId);
    const kept = { toolsJson: encodeKeptTools(listing.tools), era, listedAt };
    await transaction.catalogue.upsert({ where: { upstreamId }, create: { upstreamId, ...kept }, update: kept });
    if (known !== undefined && listing.gap === undefined) {
      const event = describeChanges(listing.tools, known, changes);
      if (event !== undefined) await recordEvent(transaction, upstreamToolsChanged(projectOf(row), upstream, event));
    }
    return await readPins(transaction, upstreamId);
  });
}

/** @returns the names of the tools whose definition is approved now, and was not before. */
export async function approveTools(
  transaction: UpstreamTransaction,
  upstreamId: number,
  names: readonly string[],
): Promise<readonly string[]> {
  const where = { upstreamId, seenHash: { not: null }, ...(names.length === 0 ? {} : { name: { in: [...names] } }) };
  const pins = await transaction.toolPin.findMany({ where, orderBy: { name: "asc" } });
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

function describeChanges(tools: readonly ListedTool[], known: ReadonlySet<string>, { changed }: PinChanges) {
  const names = tools.map(({ name }) => name);
  const present = new Set(names);
  const changes = {
    added: names.filter((name) => !known.has(name)),
    removed: [...known].filter((name) => !present.has(name)),
    changed: changed.map(({ name }) => name),
  };
  return Object.values(changes).every((list) => list.length === 0) ? undefined : changes;
}

async function savePins(transaction: UpstreamTransaction, upstream: Upstream, changes: PinChanges): Promise<void> {
  const upstreamId = upstream.id;
  const { added, changed, restored } = changes;
  await transaction.toolPin.createMany({
    data: added.map(({ name, hash, definitionText }) => {
      return { upstreamId, name, approvedHash: hash, approvedDefinition: definitionText };
    }),
    skipDuplicates: true,
  });
  const approved = new Set(restored);
  for (const tool of [...changed, ...restored]) {
    const { name, hash, definitionText } = tool;
    await transaction.toolPin.update({
      where: { upstreamId_name: { upstreamId, name } },
      data: approved.has(tool) ? { seenHash: null, seenDefinition: null } : toChange(upstream, hash, definitionText),
    });
  }
}

/** Where changes are allowed, seeing one approves it. */
function toChange({ settings }: Upstream, hash: string, definition: string) {
  if (settings.onToolsChanged !== "allow") return { seenHash: hash, seenDefinition: definition };
  return { approvedHash: hash, approvedDefinition: definition, seenHash: null, seenDefinition: null };
}

async function readPins(transaction: UpstreamTransaction, upstreamId: number): Promise<ReadonlyMap<string, ToolPin>> {
  const rows = await transaction.toolPin.findMany({
    where: { upstreamId },
    select: { name: true, approvedHash: true, seenHash: true },
  });
  return new Map(
    rows.map(({ name, approvedHash, seenHash }) => [name, { name, approvedHash, seenHash: seenHash ?? undefined }]),
  );
}

function toPin({ name, approved_hash: approvedHash, seen_hash: seenHash }: PinRow): ToolPin {
  return { name, approvedHash, seenHash: seenHash ?? undefined };
}

async function toCatalogue({ tools_json: toolsJson, era, listed_at: listedAt }: CatalogueRow, pace: Pace) {
  return { tools: await readKeptTools(toolsJson, pace), era: toEra(era), listedAt };
}

/** The names of the tools that are kept, read where they lie; undefined where none were kept yet. */
async function readKnownNames(
  transaction: UpstreamTransaction,
  upstreamId: number,
): Promise<ReadonlySet<string> | undefined> {
  const [row] = await transaction.$queryRaw<readonly { readonly names: readonly string[] }[]>`
    SELECT ARRAY(SELECT tool ->> 'name' FROM json_array_elements(tools_json::json) AS tool) AS names
    FROM catalogues WHERE upstream_id = ${upstreamId}`;
  return row === undefined ? undefined : new Set(row.names);
}
