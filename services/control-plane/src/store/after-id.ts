import { rowIdMax } from "../domain/row-id.ts";

/** The condition of a page: a cursor may hold a number beyond every row. */
export function afterId(id: number): { readonly id: { readonly gt: number } } {
  return { id: { gt: Math.min(id, rowIdMax) } };
}
