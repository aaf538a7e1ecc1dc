/** The largest id that an `integer` column gives out. */
export const rowIdMax = 2_147_483_647;

/** Whether an id can be one of a row; others are not asked for, since Postgres would refuse the question. */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= rowIdMax;
}

/** The arguments of a list as stores take them. */
export function toPageRequest({ limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }): {
  readonly limit: number;
  readonly cursor?: string;
} {
  return cursor === undefined ? { limit } : { limit, cursor };
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The form that rows have; undefined for text that is no uuid, which cannot name anything. */
export function parseUuid(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined;
}

/** Whether a text can be the uuid of a row; others are not asked for, since Postgres would refuse the question. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
