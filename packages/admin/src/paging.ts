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
