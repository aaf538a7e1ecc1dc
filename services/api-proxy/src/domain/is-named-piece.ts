/** Whether a piece of a form or a query, split at its signs and with them, is the value behind a name. */
export function isNamedPiece(pieces: readonly string[], index: number): boolean {
  return pieces[index - 1] === "=" && pieces[index - 2] !== "";
}
