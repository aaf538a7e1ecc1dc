/** Largest event, bytes of JSON text: brokers take a mebibyte, and what others name may be long. */
export const eventSizeBytesMax = 256 * 1024;

interface Sizable {
  readonly event: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The JSON text of an event, with the lists in its metadata shortened where it would be too large: an event that no broker
 * takes would hold up all behind it, and so would a text that Postgres' JSON does not. @throws TypeError where that is not enough.
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

/** Without the two things that a text may hold and `jsonb` may not: NUL, and half of a surrogate pair. */
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
