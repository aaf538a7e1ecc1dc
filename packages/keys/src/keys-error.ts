/** Why keys cannot be made or rotated, in words for the operator. Holds nothing of a key. */
export class KeysError extends Error {
  override readonly name = "KeysError";
}
