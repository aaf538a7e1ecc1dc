import type { Segment } from "@gatehouse/guardrail-client";
import { isNamedPiece } from "./is-named-piece.ts";

interface Address {
  readonly rest: string;
  readonly query: string;
}

/**
 * Caller's texts in a request's address: decoded segments of the path after the endpoint's slug, and decoded names and values of
 * the query. Text that cannot be decoded stays as it is. An address is no longer than a request head.
 */
export function addressTexts({ rest, query }: Address): readonly Segment[] {
  const segments = rest.split("/").map((piece) => toSegment(piece, false));
  const pieces = piecesOf(query);
  for (let index = 0; index < pieces.length; index += 2) {
    segments.push(toSegment(pieces[index] ?? "", isNamedPiece(pieces, index)));
  }
  return segments.filter(({ text }) => text !== "");
}

/** Whether all of an address is percent-encoded UTF-8. Other bytes, `%u0041` and the like are different texts to different servers. */
export function isReadableAddress({ rest, query }: Address): boolean {
  return [...rest.split("/"), ...piecesOf(query)].every((piece) => decode(piece) !== undefined);
}

function piecesOf(query: string): readonly string[] {
  return query
    .replace(/^\?/, "")
    .replaceAll("+", " ")
    .split(/([&;=])/);
}

function toSegment(piece: string, isNamed: boolean): Segment {
  return { role: "parameter", place: "address", text: decode(piece) ?? piece, isNamed };
}

function decode(piece: string): string | undefined {
  try {
    return decodeURIComponent(piece);
  } catch {
    return undefined;
  }
}
