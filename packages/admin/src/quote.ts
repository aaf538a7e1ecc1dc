/** Code units of a caller's value that a message shows. */
const quotedLengthMax = 200;

/** A caller's value for a message, shortened. */
export function quote(value: unknown): string {
  const written = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return written.length <= quotedLengthMax ? written : `${written.slice(0, quotedLengthMax).toWellFormed()}…`;
}
