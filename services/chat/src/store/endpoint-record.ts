import type { Target } from "@gatehouse/failover";
import { type JsonObject } from "@gatehouse/json";
import { type Endpoint, isMidStreamPolicy } from "../domain/endpoint-fields.ts";
import { type Endpoint as EndpointRow, Prisma } from "../generated/prisma/client.ts";

/** A row of `endpoints` from a raw SQL statement: Prisma's fields under column names. */
export interface EndpointRecord {
  readonly targets: readonly Target[];
  readonly [column: string]: unknown;
}

const columns = Object.values(Prisma.EndpointScalarFieldEnum).map((field) => ({ field, column: toColumnName(field) }));

/** Select list of all columns of `endpoints`, in snake case, for rows that `toEndpointFromRecord` reads. */
export const endpointColumns = columns.map(({ column }) => column).join(", ");

/** Converts a row of a raw SQL statement. */
export function toEndpointFromRecord(record: EndpointRecord): Endpoint {
  const row = Object.fromEntries(columns.map(({ field, column }) => [field, record[column]]));
  return toEndpoint(row as unknown as EndpointRow);
}

/** Converts a row of Prisma. */
export function toEndpoint({ id: _id, monthlyBudgetMicros, midStream, ...row }: EndpointRow): Endpoint {
  return {
    ...row,
    // These JSON columns were written from an EndpointDefinition.
    targets: row.targets as unknown as readonly Target[],
    parameters: row.parameters as JsonObject | null,
    inputSchema: row.inputSchema as JsonObject | null,
    outputSchema: row.outputSchema as JsonObject | null,
    // pg returns a bigint as text.
    monthlyBudgetMicros: monthlyBudgetMicros === null ? null : Number(monthlyBudgetMicros),
    midStream: isMidStreamPolicy(midStream) ? midStream : "error",
  };
}

/** The schema maps every field to its snake-case name. */
function toColumnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
