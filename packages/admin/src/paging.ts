/** Largest id of an `integer` column. */
export const rowIdMax = 2_147_483_647;

/** Whether an id can belong to a row; Postgres rejects others as out of range. */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= rowIdMax;
}

/** A list's arguments in the form of stores. */
export function toPageRequest({ limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }): {
  readonly limit: number;
  readonly cursor?: string;
} {
  return cursor === undefined ? { limit } : { limit, cursor };
}
