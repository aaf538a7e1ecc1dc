/** Kinds of input of a place. */
export type Family =
  /** Text, which the place embeds in JSON, a header, a path or a stream. */
  | "text"
  /** One JSON value as text, possibly malformed. */
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

/** A hostile input of any size. */
export interface Shape {
  readonly name: string;
  readonly family: Family;
  /** Builds about `bytes` bytes of UTF-8. */
  readonly build: (bytes: number) => string;
  /** The text as JSON, where it differs from `JSON.stringify`. */
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

/** An opening and a closing around a kernel, nested as deep as the size permits. */
export function nested(
  open: string,
  close: string,
  { bytes, kernel = "" }: { bytes: number; kernel?: string },
): string {
  const depth = Math.max(1, Math.floor(bytes / (open.length + close.length)));
  return open.repeat(depth) + kernel + close.repeat(depth);
}
