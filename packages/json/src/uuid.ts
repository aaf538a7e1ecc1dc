const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The form that rows have; undefined for text that is no uuid, which cannot name anything. */
export function parseUuid(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined;
}

/** Whether a text can be the uuid of a row; others are not asked for, since Postgres would refuse the question. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
