import { EncodedTools } from "./encoded-tools.ts";
import { isChanged, type ToolPin } from "./tool-pins.ts";
import type { ListedTool, QuarantinedTool } from "./tool-shape.ts";
import { isToolAllowed } from "./upstream-settings.ts";
import type { ProtocolMode, Upstream } from "./upstream.ts";

/** Tools that are kept of one upstream, and the bytes of their JSON text. */
export const catalogueToolsMax = 5_000;
/** Bytes of all pages of one `tools/list`. */
export const catalogueBytesMax = 16 * 1024 * 1024;

/** The tools of an upstream as one listing gave them. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly quarantined: readonly QuarantinedTool[];
  /** Reason for which the listing may lack tools; undefined for a complete one. */
  readonly gap: string | undefined;
  /** Time for which it may be kept, as the upstream says; undefined where it says nothing. */
  readonly ttlMs: number | undefined;
  /** The time that reading it took of this process. */
  readonly workMs: number;
  /** Mark that listings made of equal tools share; undefined where that is not known. */
  readonly fingerprint: string | undefined;
}

/** State of an upstream that survives restarts. */
interface KeptCatalogue {
  readonly tools: readonly ListedTool[];
  readonly protocolMode: ProtocolMode;
  readonly listedAt: Date;
}

/** Tools and approvals of an upstream from before this process. */
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
  /** Tools that callers may see. */
  readonly visible: readonly ListedTool[];
  /** Tools that callers may see, as they are sent. */
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

/** @param last the encoded tools of the latest listing with the same settings, which are reused where the tools are equal */
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

/** Tools that callers may see. */
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
 * Fills the gap of a listing with what was known before, so that a failing page hides nothing, as far as a catalogue has room: an
 * upstream that always leaves a gap and always has new names would fill the memory.
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
