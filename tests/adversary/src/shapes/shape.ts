/** The kinds of input that a place can take. */
export type Family =
  /** Text, which the place puts into JSON, a header, a path or a stream. */
  | "text"
  /** One JSON value, as text that need not be well-formed. */
  | "value"
  /** Members of a chat body: `"messages": …`. */
  | "chat"
  /** The `input` of an embeddings body. */
  | "embeddings"
  /** A whole JSON-RPC body. */
  | "rpc"
  /** A JSON Schema. */
  | "schema"
  /** A configuration document in JSON. */
  | "document"
  /** Bytes of an event stream. */
  | "stream";

/** A hostile form that comes in any size. */
export interface Shape {
  readonly name: string;
  readonly family: Family;
  /** About so many bytes of it, as UTF-8. */
  readonly build: (bytes: number) => string;
  /** The text's form in JSON, where it is not as `JSON.stringify` writes it. */
  readonly toLiteral?: (text: string) => string;
}

/** As many copies as fit, at least one. */
export function copies(piece: string, bytes: number): string {
  return piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))));
}

/** Copies with a running number, between separators. */
export function numbered(make: (index: number) => string, bytes: number, separator = ","): string {
  const size = Buffer.byteLength(make(1_000)) + separator.length;
  const count = Math.max(1, Math.floor(bytes / size));
  return Array.from({ length: count }, (_, index) => make(index)).join(separator);
}

/** An opening and its closing around a kernel, as deep as the size allows. */
export function nested(
  open: string,
  close: string,
  { bytes, kernel = "" }: { bytes: number; kernel?: string },
): string {
  const depth = Math.max(1, Math.floor(bytes / (open.length + close.length)));
  return open.repeat(depth) + kernel + close.repeat(depth);
}
