import type { Segment } from "@gatehouse/guardrail-client";
import { isNamedPiece } from "./is-named-piece.ts";

/**
 * Caller's texts in a request's address: decoded segments of the path after the endpoint's slug, and decoded names and values of
 * the query. Text that cannot be decoded stays as it is. An address is no longer than a request head.
 */
export function addressTexts({ rest, query }: { readonly rest: string; readonly query: string }): readonly Segment[] {
  const segments = rest.split("/").map((piece) => toSegment(piece, false));
  const pieces = query
    .replace(/^\?/, "")
    .replaceAll("+", " ")
    .split(/([&;=])/);
  for (let index = 0; index < pieces.length; index += 2) {
    segments.push(toSegment(pieces[index] ?? "", isNamedPiece(pieces, index)));
  }
  return segments.filter(({ text }) => text !== "");
}

function toSegment(piece: string, isNamed: boolean): Segment {
  return { role: "parameter", place: "address", text: decode(piece), isNamed };
}

function decode(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}
