/** Bytes in lower-case hexadecimal: two digits each, without separators. */
export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
