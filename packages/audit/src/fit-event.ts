/** Largest event, bytes of JSON text: brokers accept a mebibyte, and names in it may be long. */
export const eventSizeBytesMax = 256 * 1024;

interface Sizable {
  readonly event: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * JSON text of an event; lists in its metadata are shortened if it is too large. An event that brokers or Postgres' JSON refuse
 * would block all events after it.
 * @throws TypeError where it is still too large.
 */
export function toFittingText(body: Sizable): string {
  const lists = Object.values(body.metadata).filter((value): value is readonly unknown[] => Array.isArray(value));
  let text = toStorableJson(body);
  for (let length = Math.max(0, ...lists.map((list) => list.length)); Buffer.byteLength(text) > eventSizeBytesMax;) {
    if (length === 0) throw new TypeError(`An event ${body.event} is larger than ${eventSizeBytesMax} bytes.`);
    length = Math.floor(length / 2);
    text = toStorableJson({ ...body, metadata: shorten(body.metadata, length) });
  }
  return text;
}

/** Replaces what a JavaScript string may contain and `jsonb` may not: NUL and lone surrogates. */
function toStorableJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    return typeof member === "string" ? member.toWellFormed().replaceAll("\0", "\u{FFFD}") : member;
  });
}

function shorten(metadata: Sizable["metadata"], length: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, length) : value]),
  );
}
