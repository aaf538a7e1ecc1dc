/** Side of an entry on which another one lands. */
export type Landing = "before" | "after";

/** The side of the entry below the pointer on which a dragged one would land; undefined: it would not move. */
export function landingOf(dragged: number | undefined, over: number): Landing | undefined {
  if (dragged === undefined || dragged === over) return undefined;
  return dragged < over ? "after" : "before";
}
