import type { Segment } from "@gatehouse/guardrail-client";

/**
 * Texts of a caller in a request's address: the parts of the path behind the endpoint's name, and the names and values of the
 * query, decoded. What cannot be decoded is taken as it stands; an address is no longer than a request's head.
 */
export function addressTexts({ rest, query }: { readonly rest: string; readonly query: string }): readonly Segment[] {
  const pieces = [...rest.split("/"), ...query.replace(/^\?/, "").replaceAll("+", " ").split(/[&;=]/)];
  return pieces
    .map(decode)
    .filter((text) => text !== "")
    .map((text) => ({ role: "parameter", place: "address", text }));
}

function decode(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}
