import type { UseQueryResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { isPassing } from "./call-error.ts";
import type { Arguments } from "./control-plane.ts";

/** Another person has changed a value that the person has edited. Nothing was sent; a repetition overwrites it. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** Values of an item whose form is open. */
export interface Newest {
  /** Last known values; where the item is gone, its last ones. */
  readonly initial: Arguments;
  /** Reads the values again. Rejects where the gateway does not answer. */
  readonly readNow: () => Promise<Arguments>;
}

/**
 * Values that a form edits, as the page rereads them from time to time.
 * @param opened the item when its form was opened
 * @param find finds its present state among the items that were read
 */
export function useNewest<Thing extends object, Data>(
  opened: Thing,
  query: UseQueryResult<Data>,
  find: (data: Data) => Thing | undefined,
): Newest {
  const [known, setKnown] = useState(opened);
  const found = query.data === undefined ? undefined : find(query.data);
  if (found !== undefined && found !== known) setKnown(found);
  const thing = found ?? known;
  const readNow = async () => {
    const { data, error } = await query.refetch();
    // An unchecked change might overwrite another's. A refused read does not block the change: the gateway's answer to the change
    // says why.
    if (error !== null && isPassing(error)) throw error;
    return valuesOf((data === undefined ? undefined : find(data)) ?? thing);
  };
  return { initial: valuesOf(thing), readNow };
}

function valuesOf(thing: object): Arguments {
  return Object.fromEntries(Object.entries(thing));
}

export interface Change {
  readonly changed: Arguments;
  /** Values that the form shows where the person has not edited them. */
  readonly known: Arguments;
  /** Values read from the gateway for this change. */
  readonly now: Arguments;
}

/** Returns a check that runs before each change of one form is sent. It throws ConflictError. */
export function useConflictCheck(): (change: Change) => void {
  const own = useRef<OwnValues>({});
  return (change) => {
    const unread = unreadOf(own.current, change.known);
    refuseConflict(change, Object.fromEntries(Object.entries(unread).map(([name, { value }]) => [name, value])));
    own.current = { ...unread, ...sentWith(change) };
  };
}

/** Values that a form has sent, each with the gateway's value at that time. */
type OwnValues = Readonly<Record<string, { readonly value: unknown; readonly over: unknown }>>;

/** Values to remember of a change that is about to be sent, each with the gateway's value at that time, for `unreadOf`. */
export function sentWith({ changed, now }: Change): OwnValues {
  return Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, { value, over: now[name] }]));
}

/** The form's own values that the page has not read back yet; afterwards, the same value may be another person's. */
export function unreadOf(own: OwnValues, known: Arguments): OwnValues {
  return Object.fromEntries(Object.entries(own).filter(([name, { over }]) => isSameSetting(known[name], over)));
}

/**
 * Refuses a change whose values another person has changed since the form showed them.
 * @param own sent values that were not read back yet
 * @throws ConflictError
 */
export function refuseConflict({ changed, known, now }: Change, own: Arguments = {}): void {
  const names = Object.keys(changed).filter((name) => name in known || name in now);
  const isExpected = (name: string) =>
    [known[name], changed[name], ...(name in own ? [own[name]] : [])].some((value) => isSameSetting(now[name], value));
  const contested = names.filter((name) => !isExpected(name));
  if (contested.length === 0) return;
  const words = contested.map((name) => name.replaceAll("_", " ")).join(", ");
  throw new ConflictError(`Changed by another administrator in the meantime: ${words}. Save again to overwrite it.`);
}

/** Compares settings; absent equals null, and the order of members is ignored. */
function isSameSetting(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null, inOrder) === JSON.stringify(other ?? null, inOrder);
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
