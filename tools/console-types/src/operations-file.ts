import type { Operation } from "@gatehouse/admin";
import { type JsonSchema, typeOfSchema } from "./type-of-schema.ts";

type Described = Pick<Operation, "name" | "inputSchema" | "output">;

const head = [
  "// Written by tools/console-types from the schemas that services enforce.",
  "",
  "/** Arguments and results of the Control Plane's operations. Of a name that several services own, those of each. */",
  "export interface Operations {",
];

/** Text of a module with the type of every operation, ordered by name. */
export function writeOperationsFile(operations: readonly Described[]): string {
  const byName = Map.groupBy(operations, ({ name }) => name);
  const names = [...byName.keys()].toSorted();
  const lines = names.flatMap((name) => {
    const owned = byName.get(name) ?? [];
    const types = (schemaOf: (operation: Described) => object) =>
      [...new Set(owned.map((operation) => typeOfSchema(schemaOf(operation) as JsonSchema)))].join(" | ");
    return [
      `  readonly ${name}: {`,
      `    readonly arguments: ${types(({ inputSchema }) => inputSchema)};`,
      `    readonly result: ${types(({ output }) => output)};`,
      "  };",
    ];
  });
  return [...head, ...lines, "}", ""].join("\n");
}
