import { defineResource, id, nullable, number, record, reference, shown, unknown } from "@gatehouse/admin";
import { type LogColumnType, logColumnList, type NamedLogColumn } from "@gatehouse/gateway-log";
import { toDollars } from "@gatehouse/money";
import type { LoggedRequest } from "../store/gateway-log-reader.ts";

const dollarsMax = Number.MAX_SAFE_INTEGER;

/** Schema of a value of each type, as it is shown. */
const schemas = {
  moment: reference,
  text: reference,
  requestId: reference,
  uuid: reference,
  integer: id,
  duration: id,
  micros: (description: string) => number({ description, min: 0, max: dollarsMax }),
  details: reference,
} as const satisfies Readonly<Record<LogColumnType, (description: string) => object>>;

/** One request and its outcome. */
export const gatewayLogEntry = defineResource({
  id: shown(id("The entry's id."), { show: ({ id: rowId }: LoggedRequest) => Number(rowId) }),
  ...Object.fromEntries(logColumnList.map((column) => [column.shownAs ?? column.name, toField(column)])),
});

function toField({ field, type, description, isOptional }: NamedLogColumn) {
  const schema = isOptional ? nullable(schemas[type](description)) : schemas[type](description);
  if (field === "atMs") return shown(schema, { column: "at" });
  if (type === "details") {
    const show = ({ [field]: text }: LoggedRequest) => JSON.parse(String(text ?? "{}")) as unknown;
    return shown(schema, { show, shownAs: record(unknown()) });
  }
  if (type !== "micros") return shown(schema, { column: field });
  return shown(schema, {
    show: ({ [field]: micros }: LoggedRequest) => (micros === null ? null : toDollars(Number(micros))),
  });
}
