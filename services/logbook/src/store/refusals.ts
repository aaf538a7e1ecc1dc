import { codeOf } from "@gatehouse/errors";

/** A row that fits no partition is reported as a violated check, without the name of one. */
export function lacksPartition(err: unknown): boolean {
  return stateOf(err) === "23514" && err instanceof Error && !("constraint" in err && err.constraint !== undefined);
}

/** Fields of an error of pg that name parts of the schema and of Postgres, none of which quotes a value. */
const describedFields = ["table", "column", "dataType", "constraint", "routine"] as const;

/** A refusal for the log: Postgres' own message quotes the text that it refuses. */
export function describeRefusal(err: unknown): Error {
  const fields = describedFields.flatMap((name) => {
    const value: unknown = err instanceof Error ? Reflect.get(err, name) : undefined;
    return typeof value === "string" ? [`${name} ${value}`] : [];
  });
  return new Error(`Postgres refuses it: ${[`SQLSTATE ${stateOf(err)}`, ...fields].join(", ")}`);
}

function stateOf(err: unknown): string {
  return codeOf(err) ?? "";
}
