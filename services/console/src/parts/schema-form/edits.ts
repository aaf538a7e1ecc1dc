import type { Arguments } from "../../api/control-plane.ts";
import { Unreadable } from "./unreadable.ts";

/** One value that the person has changed. */
export interface Edit {
  readonly value: unknown;
  /** Value when the person began to change it. */
  readonly found: unknown;
  /** Present from sending until the gateway's value is read back. */
  readonly sent?: Sent;
}

interface Sent {
  readonly value: unknown;
  /** The gateway's value at that time. */
  readonly over: unknown;
  /** Present while a later call is in progress, whose result does not concern this one. */
  readonly isSaved?: true;
}

/** By argument. Untouched values are absent, and so neither sent nor unsaved. */
export type Edits = Readonly<Record<string, Edit>>;

export interface Draft {
  /** Last known values of the gateway; others may change them while the form is open. */
  readonly base: Arguments;
  readonly edits: Edits;
  /** Whether the last call is in progress. */
  readonly isBusy: boolean;
  /** Whether the last call was refused. */
  readonly isRefused: boolean;
}

/** The displayed value: the person's, else the gateway's. */
export function valueOf({ base, edits }: Draft, name: string): unknown {
  const edit = edits[name];
  return edit === undefined ? base[name] : edit.value;
}

/** Applies a change of one value. A value that equals both the found and the present one is not an edit. */
export function edited(draft: Draft, name: string, value: unknown): Edits {
  const { base, edits } = draft;
  const { [name]: edit, ...others } = edits;
  const sent = edit && sentOf(draft, edit);
  const found = edit === undefined ? base[name] : edit.found;
  if (sent === undefined && isSameInput(value, found) && isSameInput(base[name], found)) return others;
  return { ...edits, [name]: { value, found, ...(sent && { sent }) } };
}

/** Marks the edits as sent. */
export function sent(draft: Draft): Edits {
  const { base, edits } = draft;
  const going = Object.entries(edits).map(([name, edit]): readonly [string, Edit] => {
    const before = sentOf(draft, edit);
    if (before !== undefined && !isUnsaved(draft, name)) return [name, { ...edit, sent: { ...before, isSaved: true } }];
    return [name, { ...edit, sent: { value: edit.value, over: base[name] } }];
  });
  return Object.fromEntries(going);
}

/**
 * Drops the finished edits: saved, and read back or changed by others since. Dropped permanently, since the gateway's value may
 * return to what it was when they were sent. @returns the same edits where none is finished
 */
export function settled(draft: Draft): Edits {
  const entries = Object.entries(draft.edits);
  const open = entries.flatMap(([name, edit]): readonly (readonly [string, Edit])[] => {
    const now = draft.base[name];
    if (!isSaved(draft, edit)) return [[name, edit]];
    const { value, over } = edit.sent;
    if (isSameInput(now, over) && !isSameInput(now, value)) return [[name, edit]];
    // Typed further after sending: the saved value is the new base.
    return isSameInput(edit.value, value) ? [] : [[name, { value: edit.value, found: value }]];
  });
  const isAsBefore = open.length === entries.length && open.every(([name, edit]) => draft.edits[name] === edit);
  return isAsBefore ? draft.edits : Object.fromEntries(open);
}

/** Arguments with unsaved values; excludes those that equal the gateway's. */
export function unsavedNames(draft: Draft): readonly string[] {
  return Object.keys(draft.edits).filter((name) => isUnsaved(draft, name));
}

/** Unsaved arguments that another person has changed as well since the person began; saving overwrites them. */
export function contestedNames(draft: Draft): readonly string[] {
  return unsavedNames(draft).filter((name) => {
    const edit = draft.edits[name];
    if (edit === undefined) return false;
    const sent = sentOf(draft, edit);
    const expected = sent === undefined ? [edit.found] : [sent.over, sent.value];
    return ![...expected, edit.value].some((value) => isSameInput(draft.base[name], value));
  });
}

function isUnsaved(draft: Draft, name: string): boolean {
  const edit = draft.edits[name];
  if (edit === undefined) return false;
  const sent = sentOf(draft, edit);
  return !isSameInput(edit.value, sent === undefined ? draft.base[name] : sent.value);
}

/** The sent value, unless it is known to be refused. */
function sentOf({ isRefused }: Draft, { sent }: Edit): Sent | undefined {
  return isRefused && sent?.isSaved !== true ? undefined : sent;
}

function isSaved({ isBusy, isRefused }: Draft, edit: Edit): edit is Edit & { readonly sent: Sent } {
  return edit.sent !== undefined && (edit.sent.isSaved === true || !(isBusy || isRefused));
}

/** Whether two inputs are the same as typed: null and absent differ. */
export function isSameInput(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, withUnreadable) === JSON.stringify(other, withUnreadable);
}

/** Unreadable text has no JSON, and differs from everything. */
function withUnreadable(_name: string, value: unknown): unknown {
  return value instanceof Unreadable ? { unreadable: value.text, problem: value.problem } : value;
}
