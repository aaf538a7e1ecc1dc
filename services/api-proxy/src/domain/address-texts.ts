import type { Segment } from "@gatehouse/guardrail-client";

/**
 * Caller's texts in a request's address: decoded segments of the path after the endpoint's slug, and decoded names and values of
 * the query. Text that cannot be decoded stays as it is. An address is no longer than a request head.
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
