import { unchanged } from "@gatehouse/service";
import type { Listing } from "../domain/listing.ts";
import { isNewDefinition, type ShownTool } from "../domain/shown-changes.ts";
import { applyPins, comparePins, type PinChanges, type ToolPin } from "../domain/tool-pins.ts";
import type { ListedTool } from "../domain/tool-shape.ts";
import type { ProtocolMode, Upstream } from "../domain/upstream.ts";
import { type ToolChanges, upstreamToolsChanged } from "../events.ts";
import { type Questions, readPins } from "./catalogues.ts";
import { encodeKeptTools } from "./kept-tools.ts";
import type { UpstreamStore } from "./upstream-store.ts";
import { projectOf } from "./upstreams.ts";

/**
 * Definitions stored per upstream, present and past, since a hostile one may show new names endlessly. Tools over the bound get
 * no pin, and `on_tools_changed: block` refuses them.
 */
const pinsMax = 20_000;
/** Characters of tools in one statement; bounds the time of its encoding. */
const statementLengthMax = 256 * 1024;

interface ListingParts {
  readonly upstream: Upstream;
  readonly listing: Listing;
  /** New and changed definitions that the upstream has shown since the last stored listing. */
  readonly shown: readonly ShownTool[];
  readonly protocolMode: ProtocolMode;
  readonly listedAt: Date;
}

interface RegistrationRow {
  readonly url: string;
  readonly projectUuid: string;
  readonly projectId: number | null;
  readonly projectName: string | null;
}

/**
 * Stores a listing and compares it with the approved definitions. Trusts new tools, and announces differences by one
 * `upstream.tools_changed` over all replicas. Undefined where the upstream was deleted.
 */
export async function keepListing(
  store: UpstreamStore,
  { upstream, listing, shown, protocolMode, listedAt }: ListingParts,
): Promise<ReadonlyMap<string, ToolPin> | undefined> {
  const { id } = upstream;
  return await store.writeSql(async (client) => {
    // Serialises replicas that list concurrently.
    const { rows } = await client.query<RegistrationRow>(
      `SELECT url, project_uuid AS "projectUuid", project_id AS "projectId", project_name AS "projectName"
       FROM upstreams WHERE id = $1 FOR UPDATE`,
      [id],
    );
    const [row] = rows;
    if (row === undefined || row.url !== upstream.url) return unchanged(undefined);
    const pins = await readPins(client, id);
    const found = comparePins(listing.tools, pins);
    const changes = { ...found, added: found.added.slice(0, Math.max(0, pinsMax - pins.size)) };
    await savePins(client, upstream, changes);
    const known = await readKnownNames(client, id);
    await saveTools(client, id, { listing, protocolMode, listedAt });
    const event =
      known === undefined ? undefined : describeChanges({ listing, known, changed: changes.changed, shown, pins });
    return {
      result: applyPins(pins, changes, isApprovedAtSight(upstream)),
      changes: [],
      events: event === undefined ? [] : [upstreamToolsChanged(projectOf(row), upstream, event)],
    };
  });
}

/** Whether a changed tool is approved when it is first listed. */
function isApprovedAtSight({ settings }: Upstream): boolean {
  return settings.onToolsChanged === "allow";
}

async function savePins(questions: Questions, upstream: Upstream, { added, changed, restored }: PinChanges) {
  const from = "unnest($2::text[], $3::text[], $4::text[]) AS seen(name, hash, definition)";
  const where = "tool_pins.upstream_id = $1 AND tool_pins.name = seen.name";
  const change = isApprovedAtSight(upstream)
    ? "approved_hash = seen.hash, approved_definition = seen.definition, seen_hash = NULL, seen_definition = NULL"
    : "seen_hash = seen.hash, seen_definition = seen.definition";
  const statements = [
    [
      added,
      `INSERT INTO tool_pins (upstream_id, name, approved_hash, approved_definition)
       SELECT $1, name, hash, definition FROM ${from} ON CONFLICT DO NOTHING`,
    ],
    [changed, `UPDATE tool_pins SET ${change} FROM ${from} WHERE ${where}`],
    [restored, `UPDATE tool_pins SET seen_hash = NULL, seen_definition = NULL FROM ${from} WHERE ${where}`],
  ] as const;
  for (const [tools, sql] of statements) {
    for (const some of inStatements(tools)) {
      const columns = [
        some.map(({ name }) => name),
        some.map(({ hash }) => hash),
        some.map(({ definitionText }) => definitionText),
      ];
      await questions.query(sql, [upstream.id, ...columns]);
    }
  }
}

async function saveTools(
  questions: Questions,
  upstreamId: number,
  { listing, protocolMode, listedAt }: Pick<ListingParts, "listing" | "protocolMode" | "listedAt">,
): Promise<void> {
  await questions.query(
    `INSERT INTO catalogues (upstream_id, era, listed_at) VALUES ($1, $2, $3)
     ON CONFLICT (upstream_id) DO UPDATE SET era = excluded.era, listed_at = excluded.listed_at`,
    [upstreamId, protocolMode, listedAt],
  );
  await questions.query("DELETE FROM catalogue_parts WHERE upstream_id = $1", [upstreamId]);
  for (const [part, tools] of inStatements(listing.tools).entries()) {
    const values = [upstreamId, part, encodeKeptTools(tools)];
    await questions.query("INSERT INTO catalogue_parts (upstream_id, part, tools_json) VALUES ($1, $2, $3)", values);
  }
}

function inStatements(tools: readonly ListedTool[]): readonly (readonly ListedTool[])[] {
  const statements: ListedTool[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const tool of tools) {
    const own = tool.definitionText.length + tool.metadataText.length;
    length += own;
    if (length > statementLengthMax) {
      statements.push([]);
      length = own;
    }
    statements.at(-1)?.push(tool);
  }
  return statements;
}

interface Compared {
  readonly listing: Listing;
  /** Names of the tools stored before. */
  readonly known: ReadonlySet<string>;
  readonly changed: readonly ListedTool[];
  readonly shown: readonly ShownTool[];
  /** From before the listing. */
  readonly pins: ReadonlyMap<string, ToolPin>;
}

/** Undefined where nothing has changed. A listing with a gap says nothing of the tools that it lacks. */
function describeChanges({ listing, known, changed, shown, pins }: Compared): ToolChanges | undefined {
  const names = listing.tools.map(({ name }) => name);
  const present = new Set(names);
  const isGone = (name: string) => listing.gap === undefined && !present.has(name);
  const passing = shown.map(({ name }) => name).filter((name) => !known.has(name) && !pins.has(name));
  const altered = shown.filter(({ name, hash }) => {
    const pin = pins.get(name);
    return pin !== undefined && isNewDefinition(hash, pin);
  });
  const changes = {
    added: unique([...names.filter((name) => !known.has(name)), ...passing]),
    removed: unique([...known, ...passing].filter(isGone)),
    changed: unique([...changed, ...altered].map(({ name }) => name)),
  };
  return Object.values(changes).every((list) => list.length === 0) ? undefined : changes;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/**
 * The name at the start of a stored tool (`encodeKeptTools`), as JSON. Postgres reads no other text of the tool: it refuses NUL
 * and halves of surrogate pairs, which descriptions and schemas may have.
 */
const nameInTool = String.raw`^\{"name":("(?:[^"\\]|\\.)*")`;

/** Names of the stored tools, extracted in the database; undefined: none stored yet. */
async function readKnownNames(questions: Questions, upstreamId: number): Promise<ReadonlySet<string> | undefined> {
  const { rows } = await questions.query<{ readonly name: string | null }>(
    `SELECT substring(tool::text FROM $2)::json #>> '{}' AS name FROM catalogues AS c
     LEFT JOIN catalogue_parts AS p ON p.upstream_id = c.upstream_id
     LEFT JOIN LATERAL json_array_elements(p.tools_json::json) AS tool ON true
     WHERE c.upstream_id = $1`,
    [upstreamId, nameInTool],
  );
  return rows.length === 0 ? undefined : new Set(rows.map(({ name }) => name).filter((name) => name !== null));
}
