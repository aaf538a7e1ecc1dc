/** A UUID as text, in either case. Without a flag, so that it can be part of a JSON Schema. */
export const uuidPattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** UUID in lower case, as in rows; undefined for any other text. */
export function parseUuid(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined;
}

/** Whether a text can be a row's UUID; Postgres rejects others. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
