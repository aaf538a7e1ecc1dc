import type { Arguments } from "../../api/control-plane.ts";
import { Unreadable } from "./unreadable.ts";

/** One value that the person has changed. */
export interface Edit {
  readonly value: unknown;
  /** In its place when the person began to change it. */
  readonly found: unknown;
  /** Present from when it is sent until the gateway's value is read back. */
  readonly sent?: Sent;
}

interface Sent {
  readonly value: unknown;
  /** Known to be the gateway's then. */
  readonly over: unknown;
  /** Present where a later call is under way: what becomes of that one says nothing about this one. */
  readonly isSaved?: true;
}

/** By argument. What the person has not touched is not here, so it is neither sent nor unsaved. */
export type Edits = Readonly<Record<string, Edit>>;

export interface Draft {
  /** The values as the gateway has them, as far as is known now; others may change them while the form is open. */
  readonly base: Arguments;
  readonly edits: Edits;
  /** Whether what was sent last is still under way. */
  readonly isBusy: boolean;
  /** Whether what was sent last was refused. */
  readonly isRefused: boolean;
}

/** The value that a form shows: the person's, or the gateway's where there is none. */
export function valueOf({ base, edits }: Draft, name: string): unknown {
  const edit = edits[name];
  return edit === undefined ? base[name] : edit.value;
}

/** The edits after the person has changed one value. One that is as it was found, and as it is, is none. */
export function edited(draft: Draft, name: string, value: unknown): Edits {
  const { base, edits } = draft;
  const { [name]: edit, ...others } = edits;
  const sent = edit && sentOf(draft, edit);
  const found = edit === undefined ? base[name] : edit.found;
  if (sent === undefined && isSameInput(value, found) && isSameInput(base[name], found)) return others;
  return { ...edits, [name]: { value, found, ...(sent && { sent }) } };
}

/** The edits once they are sent. */
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
 * The edits without those that are over: saved, and read back or changed by others since. They are dropped permanently, since the
 * gateway's value may come back to what it was when they were sent. @returns the same edits where none is over
 */
export function settled(draft: Draft): Edits {
  const entries = Object.entries(draft.edits);
  const open = entries.flatMap(([name, edit]): readonly (readonly [string, Edit])[] => {
    const now = draft.base[name];
    if (!isSaved(draft, edit)) return [[name, edit]];
    const { value, over } = edit.sent;
    if (isSameInput(now, over) && !isSameInput(now, value)) return [[name, edit]];
    // The person has typed on after it was sent: what was saved is what is changed now.
    return isSameInput(edit.value, value) ? [] : [[name, { value: edit.value, found: value }]];
  });
  const isAsBefore = open.length === entries.length && open.every(([name, edit]) => draft.edits[name] === edit);
  return isAsBefore ? draft.edits : Object.fromEntries(open);
}

/** Arguments whose values are the person's and not saved; a value that the gateway has too is not among them. */
export function unsavedNames(draft: Draft): readonly string[] {
  return Object.keys(draft.edits).filter((name) => isUnsaved(draft, name));
}

/** Unsaved arguments that another person has changed, too, since the person began: saving puts the person's value in their place. */
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

/** The sending that, as far as is known, was not refused. */
function sentOf({ isRefused }: Draft, { sent }: Edit): Sent | undefined {
  return isRefused && sent?.isSaved !== true ? undefined : sent;
}

function isSaved({ isBusy, isRefused }: Draft, edit: Edit): edit is Edit & { readonly sent: Sent } {
  return edit.sent !== undefined && (edit.sent.isSaved === true || !(isBusy || isRefused));
}

/** As it would be typed again: null is not the same as nothing. */
function isSameInput(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, withUnreadable) === JSON.stringify(other, withUnreadable);
}

/** Text that cannot be read has no JSON: it differs from all that is there, and from nothing. */
function withUnreadable(_name: string, value: unknown): unknown {
  return value instanceof Unreadable ? { unreadable: value.text, problem: value.problem } : value;
}
