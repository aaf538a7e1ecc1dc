import { comparePins, type ToolPin } from "./tool-pins.ts";
import type { ListedTool } from "./tool-shape.ts";

/** A definition that an upstream has shown. */
export type ShownTool = Pick<ListedTool, "name" | "hash">;

/** Definitions collected per upstream; further ones are not named. */
const shownMax = 5_000;

/**
 * New and changed definitions that an upstream has shown since its last stored listing, so that one which is gone before the next
 * is stored is named nevertheless.
 */
export class ShownChanges {
  /** By hash, which includes the name. */
  readonly #shown = new Map<string, ShownTool>();

  get isEmpty(): boolean {
    return this.#shown.size === 0;
  }

  /** Collects the tools that differ from the stored definitions. */
  add(tools: readonly ListedTool[], pins: ReadonlyMap<string, ToolPin>): void {
    const { added, changed } = comparePins(tools, pins);
    this.#addAll([...changed, ...added]);
  }

  /** Empties the collection, for one storing. */
  take(): readonly ShownTool[] {
    const tools = [...this.#shown.values()];
    this.#shown.clear();
    return tools;
  }

  /** Takes back what could not be stored. */
  restore(tools: readonly ShownTool[]): void {
    this.#addAll(tools);
  }

  /** Forgets definitions that were stored meanwhile. */
  settle(pins: ReadonlyMap<string, ToolPin>): void {
    for (const [hash, { name }] of this.#shown) {
      const pin = pins.get(name);
      if (pin !== undefined && !isNewDefinition(hash, pin)) this.#shown.delete(hash);
    }
  }

  #addAll(tools: readonly ShownTool[]): void {
    for (const { name, hash } of tools) {
      if (this.#shown.size >= shownMax) return;
      this.#shown.set(hash, { name, hash });
    }
  }
}

/** Whether a definition is neither the approved one nor the last one that was named. */
export function isNewDefinition(hash: string, { approvedHash, seenHash }: ToolPin): boolean {
  return hash !== approvedHash && hash !== seenHash;
}
