import type { UseQueryResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Arguments } from "./control-plane.ts";

/** Nothing was sent: somebody else has changed, meanwhile, a value of the person's change. Sent again, the change is made. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** Values of a thing whose form is open. */
export interface Newest {
  /** As they are, as far as is known; as they last were where the thing is gone. */
  readonly initial: Arguments;
  /** Reads them again. */
  readonly readNow: () => Promise<Arguments>;
}

/**
 * Values that a form edits, as the page reads them from time to time.
 * @param opened the thing when its form was opened
 * @param find its present state among the things that were read
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
    // A reading that fails is no reason to keep a change back: the gateway's answer to the change says why it fails.
    const { data } = await query.refetch();
    return valuesOf((data === undefined ? undefined : find(data)) ?? thing);
  };
  return { initial: valuesOf(thing), readNow };
}

function valuesOf(thing: object): Arguments {
  return Object.fromEntries(Object.entries(thing));
}

export interface Change {
  readonly changed: Arguments;
  /** Values that the form shows where the person has changed none. */
  readonly known: Arguments;
  /** Values of the gateway, read for this change. */
  readonly now: Arguments;
}

/** A check of one form's changes, one after the other, each before it is sent. The check throws ConflictError. */
export function useConflictCheck(): (change: Change) => void {
  // The page may not have read back yet the values that this form has sent.
  const own = useRef<Arguments>({});
  return (change) => {
    refuseConflict(change, own.current);
    own.current = { ...own.current, ...change.changed };
  };
}

/**
 * Keeps a change back whose values somebody else has changed since the form showed them.
 * @param own values that the form has sent before
 * @throws ConflictError
 */
export function refuseConflict({ changed, known, now }: Change, own: Arguments = {}): void {
  const names = Object.keys(changed).filter((name) => name in known || name in now);
  const isExpected = (name: string) =>
    [known[name], changed[name], ...(name in own ? [own[name]] : [])].some((value) => isSame(now[name], value));
  const contested = names.filter((name) => !isExpected(name));
  if (contested.length === 0) return;
  const words = contested.map((name) => name.replaceAll("_", " ")).join(", ");
  throw new ConflictError(`Changed by somebody else meanwhile: ${words}. Save again to put your value in its place.`);
}

/** An absent value and null are both none. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
