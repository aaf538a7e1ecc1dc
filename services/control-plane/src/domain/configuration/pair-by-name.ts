import type { JsonObject } from "@gatehouse/json-rpc";
import { differing } from "./differing.ts";

interface NamedItem extends JsonObject {
  readonly name: string;
}

export interface Pair<Item> {
  readonly wanted: Item;
  /** What it means of what is there; undefined where that is to be made. */
  readonly existing: JsonObject | undefined;
}

/**
 * Pairs the items of a document with those that are there. Tokens, credentials and webhooks may share a name, so each that is
 * there is meant at most once: first by those that find theirs as they want it, then by the rest in their order.
 */
export function pairByName<Item extends NamedItem>(
  wanted: readonly Item[],
  current: readonly JsonObject[],
): readonly Pair<Item>[] {
  const free = Map.groupBy(current, ({ name }) => name);
  const settled = new Map<Item, JsonObject>();
  for (const item of wanted) {
    const existing = (free.get(item.name) ?? []).find((candidate) => differing(item, candidate).length === 0);
    if (existing !== undefined) take(item, existing);
  }
  for (const item of wanted) {
    const existing = settled.has(item) ? undefined : free.get(item.name)?.[0];
    if (existing !== undefined) take(item, existing);
  }
  return wanted.map((item) => ({ wanted: item, existing: settled.get(item) }));

  function take(item: Item, existing: JsonObject): void {
    settled.set(item, existing);
    const others = (free.get(item.name) ?? []).filter((candidate) => candidate !== existing);
    free.set(item.name, others);
  }
}
