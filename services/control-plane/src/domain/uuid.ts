const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The lower-case form of a UUID; undefined for other text, which cannot name anything. */
export function parseUuid(text: string): string | undefined {
  return form.test(text) ? text.toLowerCase() : undefined;
}
