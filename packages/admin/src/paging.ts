import { GatewayError } from "@gatehouse/errors";
import { quote } from "./quote.ts";

/** The largest id that an `integer` column gives out. */
const rowIdMax = 2_147_483_647;

/** Whether an id can be one of a row; others are not asked for, since Postgres would refuse the question. */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= rowIdMax;
}

/** The arguments of a list as stores take them. */
export function toPageRequest({ limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }) {
  return cursor === undefined ? { limit } : { limit, cursor };
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be the uuid of a row; others are not asked for, since Postgres would refuse the question. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** `<kind> not found: <value>`, the value shortened. */
export function resourceNotFound(kind: string, value: string | number): GatewayError {
  return new GatewayError("not_found", `${kind} not found: ${quote(value)}`);
}
