import type { Arguments } from "../../api/control-plane.ts";

/** One value that the person has changed. */
export interface Edit {
  readonly value: unknown;
  /** In its place when the person began to change it. */
  readonly found: unknown;
  /** Present once it was sent: the value that was known to be the gateway's then. */
  readonly sentOver?: { readonly value: unknown };
}

/** By argument. What the person has not touched is not here, so it is neither sent nor unsaved. */
export type Edits = Readonly<Record<string, Edit>>;

export interface Draft {
  /** The values as the gateway has them, as far as is known now; others may change them while the form is open. */
  readonly base: Arguments;
  readonly edits: Edits;
  /** Whether what was sent last was refused. */
  readonly isRefused: boolean;
}

/** The value that a form shows: the person's; or the gateway's where there is none, or has changed since the person's was saved. */
export function valueOf({ base, edits, isRefused }: Draft, name: string): unknown {
  const edit = edits[name];
  if (edit === undefined) return base[name];
  const isOvertaken = edit.sentOver !== undefined && !isRefused && !isSame(base[name], edit.sentOver.value);
  return isOvertaken ? base[name] : edit.value;
}

/** The edits after the person has changed one value. */
export function edited(draft: Draft, name: string, value: unknown): Edits {
  const found = isUnsaved(draft, name) ? draft.edits[name]?.found : valueOf(draft, name);
  return { ...draft.edits, [name]: { value, found } };
}

/** The edits once they are sent. Those that were saved before and are changed by others since are over. */
export function sent({ base, edits, isRefused }: Draft): Edits {
  const going = Object.entries(edits).filter(
    ([name, { sentOver }]) => isRefused || sentOver === undefined || isSame(base[name], sentOver.value),
  );
  return Object.fromEntries(going.map(([name, edit]) => [name, { ...edit, sentOver: { value: base[name] } }]));
}

/** Arguments whose values are the person's and not saved; a value that is as it was found again is not among them. */
export function unsavedNames(draft: Draft): readonly string[] {
  return Object.keys(draft.edits).filter((name) => isUnsaved(draft, name));
}

/** Unsaved arguments that somebody else has changed, too, since the person began: saving puts the person's value in their place. */
export function contestedNames(draft: Draft): readonly string[] {
  return unsavedNames(draft).filter((name) => {
    const edit = draft.edits[name];
    return edit !== undefined && !isSame(draft.base[name], edit.found) && !isSame(draft.base[name], edit.value);
  });
}

function isUnsaved({ edits, isRefused }: Draft, name: string): boolean {
  const edit = edits[name];
  if (edit === undefined || isSame(edit.value, edit.found)) return false;
  return edit.sentOver === undefined || isRefused;
}

/** JSON that does not parse stands as a symbol, which has no JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "symbol" || typeof other === "symbol") return one === other;
  return JSON.stringify(one) === JSON.stringify(other);
}
