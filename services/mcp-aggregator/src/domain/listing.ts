import { hashTools, type HashedTool, isChanged, type ToolPin } from "./tool-pins.ts";
import { joinToolName } from "./tool-name.ts";
import { isToolAllowed } from "./tool-policy.ts";
import type { ListedTool, QuarantinedTool } from "./tool-shape.ts";
import type { Era, Upstream } from "./upstream.ts";

/** The tools of an upstream as one listing gave them. */
export interface Listing {
  readonly tools: readonly HashedTool[];
  readonly quarantined: readonly QuarantinedTool[];
  /** Why it may lack some; undefined where it is whole. */
  readonly gap: string | undefined;
  /** How long it may be kept, as the upstream says; undefined where it says nothing. */
  readonly ttlMs: number | undefined;
  /** The same for listings that were made of the same tools; undefined where that is not known. */
  readonly fingerprint: string | undefined;
}

/** What is kept of an upstream across restarts. */
export interface KeptCatalogue {
  readonly tools: readonly ListedTool[];
  readonly era: Era;
  readonly listedAt: Date;
}

export interface KeptUpstream {
  readonly catalogue: KeptCatalogue | undefined;
  readonly pins: ReadonlyMap<string, ToolPin>;
}

/** A listing made ready to be sent. */
export interface Snapshot extends Listing {
  readonly pins: ReadonlyMap<string, ToolPin>;
  /** Milliseconds of the monotonic clock. */
  readonly listedAtMs: number;
  /** Milliseconds since 1970. */
  readonly listedAtWallMs: number;
  /** JSON texts of the visible tools, with the prefix, joined by commas. */
  readonly text: string;
  readonly visibleCount: number;
}

export interface SnapshotParts {
  readonly upstream: Upstream;
  readonly listing: Listing;
  readonly pins: ReadonlyMap<string, ToolPin>;
  readonly listedAtMs: number;
  readonly listedAtWallMs: number;
}

export function createSnapshot({ upstream, listing, pins, listedAtMs, listedAtWallMs }: SnapshotParts): Snapshot {
  const visible = visibleTools(listing.tools, upstream, pins);
  return {
    ...listing,
    pins,
    listedAtMs,
    listedAtWallMs,
    text: visible.map((tool) => encodeTool(tool, upstream)).join(","),
    visibleCount: visible.length,
  };
}

/** Those that callers may see. */
export function visibleTools(
  tools: readonly HashedTool[],
  upstream: Upstream,
  pins: ReadonlyMap<string, ToolPin>,
): readonly HashedTool[] {
  return tools.filter((tool) => isVisible(tool, upstream, pins));
}

export function fromKept({ tools }: KeptCatalogue): Listing {
  return { tools: hashTools(tools), quarantined: [], gap: undefined, ttlMs: undefined, fingerprint: undefined };
}

/** Fills the gap of a listing with what was known before, so that a failing page hides nothing. */
export function fillGap(listing: Listing, known: Listing | undefined): Listing {
  if (listing.gap === undefined || known === undefined) return listing;
  const names = new Set(listing.tools.map(({ name }) => name));
  return {
    ...listing,
    fingerprint: undefined,
    tools: [...listing.tools, ...known.tools.filter(({ name }) => !names.has(name))],
  };
}

function isVisible(tool: HashedTool, { settings }: Upstream, pins: ReadonlyMap<string, ToolPin>): boolean {
  if (!isToolAllowed(tool.name, settings)) return false;
  const hidesChanges = settings.onToolsChanged === "hide" || settings.onToolsChanged === "block";
  return !(hidesChanges && isChanged(tool, pins));
}

function encodeTool({ definition, metadata }: HashedTool, { prefix, settings }: Upstream): string {
  const { name, description, inputSchema } = definition;
  const more = settings.passMetadata ? metadata : {};
  return JSON.stringify({ name: joinToolName(prefix, name), description, inputSchema, ...more });
}
