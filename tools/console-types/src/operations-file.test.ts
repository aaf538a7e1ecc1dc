import { expect, test } from "vitest";
import { writeOperationsFile } from "./operations-file.ts";

const operationOf = (name: string, member: string) => ({
  name,
  inputSchema: { type: "object", properties: { [member]: { type: "string" } } },
  output: { type: "object", properties: { [member]: { type: "number" } }, required: [member] } as never,
});

test("each operation has its arguments and its result, and two owners' are one or the other", () => {
  const text = writeOperationsFile([operationOf("svc_b", "x"), operationOf("svc_a", "y"), operationOf("svc_b", "z")]);
  const operations = text.split("\n").slice(4);
  expect(operations).toEqual([
    "  readonly svc_a: {",
    '    readonly arguments: { readonly "y"?: string; };',
    '    readonly result: { readonly "y": number; };',
    "  };",
    "  readonly svc_b: {",
    '    readonly arguments: { readonly "x"?: string; } | { readonly "z"?: string; };',
    '    readonly result: { readonly "x": number; } | { readonly "z": number; };',
    "  };",
    "}",
    "",
  ]);
});
