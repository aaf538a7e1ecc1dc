import { createHash } from "node:crypto";
import { isJsonObject } from "@gatehouse/json-rpc";
import type { ListedTool, ToolDefinition } from "./tool-shape.ts";

/** A tool's approved definition, and the last seen one where it differs. */
export interface ToolPin {
  readonly name: string;
  readonly approvedHash: string;
  /** Undefined where the upstream shows the approved definition. */
  readonly seenHash: string | undefined;
}

/** SHA-256 over canonical JSON of name, description and input schema, independent of the order of members. */
export function hashDefinition(definition: ToolDefinition): string {
  return createHash("sha256").update(toCanonicalJson(definition)).digest("hex");
}

/** Effect of a listing on the pins. */
export interface PinChanges {
  /** Seen for the first time, and trusted. */
  readonly added: readonly ListedTool[];
  /** Differs from the approved definition in a new way. */
  readonly changed: readonly ListedTool[];
  /** Changed before, and equal to the approved definition again. */
  readonly restored: readonly ListedTool[];
}

/** Compares tools with their pins, by the hash of their definition. */
export function comparePins(tools: readonly ListedTool[], pins: ReadonlyMap<string, ToolPin>): PinChanges {
  const added: ListedTool[] = [];
  const changed: ListedTool[] = [];
  const restored: ListedTool[] = [];
  for (const tool of tools) {
    const pin = pins.get(tool.name);
    if (pin === undefined) added.push(tool);
    else if (pin.approvedHash === tool.hash) {
      if (pin.seenHash !== undefined) restored.push(tool);
    } else if (pin.seenHash !== tool.hash) changed.push(tool);
  }
  return { added, changed, restored };
}

/** Applies changes to the pins. @param isApprovedAtSight whether a changed definition counts as approved */
export function applyPins(
  pins: ReadonlyMap<string, ToolPin>,
  { added, changed, restored }: PinChanges,
  isApprovedAtSight: boolean,
): ReadonlyMap<string, ToolPin> {
  const next = new Map(pins);
  const approve = ({ name, hash }: ListedTool) => next.set(name, { name, approvedHash: hash, seenHash: undefined });
  for (const tool of [...added, ...restored]) approve(tool);
  for (const tool of changed) {
    const pin = next.get(tool.name);
    if (isApprovedAtSight || pin === undefined) approve(tool);
    else next.set(tool.name, { ...pin, seenHash: tool.hash });
  }
  return next;
}

/** Whether a tool differs from its approved definition. A tool without a pin is new, and so unchanged. */
export function isChanged(tool: ListedTool, pins: ReadonlyMap<string, ToolPin>): boolean {
  const pin = pins.get(tool.name);
  return pin !== undefined && pin.approvedHash !== tool.hash;
}

/** JSON with sorted members (as RFC 8785, for values of JSON.parse). */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${toCanonicalJson(value[name])}`);
  return `{${members.join(",")}}`;
}
