import { EncodedTools } from "./encoded-tools.ts";
import { isChanged, type ToolPin } from "./tool-pins.ts";
import type { ListedTool, QuarantinedTool } from "./tool-shape.ts";
import { isToolAllowed } from "./upstream-settings.ts";
import type { ProtocolMode, Upstream } from "./upstream.ts";

/** Cached tools of one upstream. */
export const catalogueToolsMax = 5_000;
/** Bytes of all pages of one `tools/list`. */
export const catalogueBytesMax = 16 * 1024 * 1024;

/** The tools of an upstream by one listing. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly quarantined: readonly QuarantinedTool[];
  /** Why the listing may be incomplete; undefined: complete. */
  readonly gap: string | undefined;
  /** Time for which it may be cached, by the upstream; undefined: unspecified. */
  readonly ttlMs: number | undefined;
  /** Time that this process spent on reading it. */
  readonly workMs: number;
  /** Equal for listings of equal tools; undefined: not known. */
  readonly fingerprint: string | undefined;
}

/** State of an upstream that survives restarts. */
interface KeptCatalogue {
  readonly tools: readonly ListedTool[];
  readonly protocolMode: ProtocolMode;
  readonly listedAt: Date;
}

/** Stored tools and approvals of an upstream. */
export interface KeptUpstream {
  readonly catalogue: KeptCatalogue | undefined;
  readonly pins: ReadonlyMap<string, ToolPin>;
}

/** A listing, prepared for sending. */
export interface Snapshot extends Listing {
  readonly pins: ReadonlyMap<string, ToolPin>;
  /** Monotonic milliseconds. */
  readonly listedAtMs: number;
  /** Epoch milliseconds. */
  readonly listedAtWallMs: number;
  /** Tools that callers may see. */
  readonly visible: readonly ListedTool[];
  /** Their encoded form. */
  readonly encoded: EncodedTools;
  readonly visibleCount: number;
  readonly byName: ReadonlyMap<string, ListedTool>;
}

interface SnapshotParts {
  readonly upstream: Upstream;
  readonly listing: Listing;
  readonly pins: ReadonlyMap<string, ToolPin>;
  readonly listedAtMs: number;
  readonly listedAtWallMs: number;
}

/** @param last encoded tools of the last listing with the same settings, reused where the tools are equal */
export function createSnapshot(
  { upstream, listing, pins, listedAtMs, listedAtWallMs }: SnapshotParts,
  last?: Snapshot,
): Snapshot {
  const visible = visibleTools(listing.tools, upstream, pins);
  const isSame =
    last?.visible.length === visible.length && visible.every((tool, index) => tool === last.visible[index]);
  return {
    ...listing,
    pins,
    listedAtMs,
    listedAtWallMs,
    visible,
    encoded: isSame ? last.encoded : new EncodedTools(visible, upstream),
    visibleCount: visible.length,
    byName: new Map(listing.tools.map((tool) => [tool.name, tool])),
  };
}

/** Tools that the upstream's settings permit, without changed ones where `onToolsChanged` is `hide` or `block`. */
export function visibleTools(
  tools: readonly ListedTool[],
  upstream: Upstream,
  pins: ReadonlyMap<string, ToolPin>,
): readonly ListedTool[] {
  return tools.filter((tool) => isVisible(tool, upstream, pins));
}

/** A listing of stored tools, which are shown until the upstream has answered. */
export function fromKept({ tools }: KeptCatalogue): Listing {
  return { tools, quarantined: [], gap: undefined, ttlMs: undefined, fingerprint: undefined, workMs: 0 };
}

/**
 * Fills the gap of a listing with known tools, so that a failing page hides nothing. Bounded by the size of a catalogue, since an
 * upstream with a gap and new names in every listing would exhaust the memory.
 */
export function fillGap(listing: Listing, known: Listing | undefined): Listing {
  if (listing.gap === undefined || known === undefined) return listing;
  const names = new Set(listing.tools.map(({ name }) => name));
  const tools = [...listing.tools];
  let size = tools.reduce((sum, tool) => sum + sizeOf(tool), 0);
  for (const tool of known.tools) {
    if (names.has(tool.name)) continue;
    size += sizeOf(tool);
    if (tools.length >= catalogueToolsMax || size > catalogueBytesMax) break;
    tools.push(tool);
  }
  return { ...listing, fingerprint: undefined, tools };
}

function sizeOf({ definitionText, metadataText }: ListedTool): number {
  return definitionText.length + metadataText.length;
}

function isVisible(tool: ListedTool, { settings }: Upstream, pins: ReadonlyMap<string, ToolPin>): boolean {
  if (!isToolAllowed(tool.name, settings)) return false;
  const hidesChanges = settings.onToolsChanged === "hide" || settings.onToolsChanged === "block";
  return !(hidesChanges && isChanged(tool, pins));
}

/** Equal for two listings of the same definitions in the same order. */
export function hashesOf({ tools }: Listing): string {
  return tools.map(({ name, hash }) => `${name}:${hash}`).join("\n");
}
