import { quote } from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import { differing } from "./differing.ts";
import { type ItemKind, listedMax } from "./planned-change.ts";

interface NamedItem extends JsonObject {
  readonly name: string;
}

/** An item of a document, and the existing item of its name. */
export interface Pair<Item> {
  readonly wanted: Item;
  /** Undefined: to be created. */
  readonly existing: JsonObject | undefined;
}

/**
 * Pairs the items of a document with existing ones. Tokens, credentials and webhooks may share a name, so each existing item is
 * paired at most once: first with an equal item, then in order.
 * @throws GatewayError `invalid_argument` with their ids, where fewer items differ than exist of a name, so that the document
 * does not determine which to change
 */
export function pairByName<Item extends NamedItem>(
  wanted: readonly Item[],
  current: readonly JsonObject[],
  kind: ItemKind,
): readonly Pair<Item>[] {
  const free = Map.groupBy(current, ({ name }) => name);
  const paired = new Map<Item, JsonObject>();
  for (const item of wanted) {
    const existing = (free.get(item.name) ?? []).find((candidate) => differing(item, candidate).length === 0);
    if (existing !== undefined) take(item, existing);
  }
  for (const [name, others] of Map.groupBy(
    wanted.filter((item) => !paired.has(item)),
    (item) => item.name,
  )) {
    const candidates = free.get(name) ?? [];
    if (others.length < candidates.length) throw ambiguous(kind, name, candidates);
  }
  for (const item of wanted) {
    const existing = paired.has(item) ? undefined : free.get(item.name)?.[0];
    if (existing !== undefined) take(item, existing);
  }
  return wanted.map((item) => ({ wanted: item, existing: paired.get(item) }));

  function take(item: Item, existing: JsonObject): void {
    paired.set(item, existing);
    const others = (free.get(item.name) ?? []).filter((candidate) => candidate !== existing);
    free.set(item.name, others);
  }
}

function ambiguous(kind: ItemKind, name: string, items: readonly JsonObject[]) {
  const ids = items.slice(0, listedMax).map(({ id }) => String(id));
  const listed = `${ids.join(", ")}${items.length > listedMax ? ", …" : ""}`;
  const way = "name each of them in the document, or rename or delete the others";
  return invalidArgument(`More than one ${kind} is named ${quote(name)} (ids ${listed}): ${way}.`);
}
