const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** UUID in lower case, as in rows; undefined for any other text. */
export function parseUuid(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined;
}

/** Whether a text can be a row's UUID; Postgres rejects others. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
