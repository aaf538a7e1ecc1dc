/** Tool shapes seen in practice, or that break a client's whole list; `listed`: whether the tool is listed. */
export interface ToolCase {
  readonly name: string;
  readonly tool: unknown;
  readonly listed: boolean;
}

const object = { type: "object" };
let deep: unknown = {};
for (let level = 0; level < 80; level += 1) deep = { properties: { a: deep } };

const named = (name: string, rest: object) => ({ name, description: "d", inputSchema: object, ...rest });

export const toolCorpus: readonly ToolCase[] = [
  { name: "null", tool: null, listed: false },
  { name: "a number", tool: 7, listed: false },
  { name: "a string", tool: "echo", listed: false },
  { name: "an array", tool: [], listed: false },
  { name: "an empty object", tool: {}, listed: false },
  { name: "no name", tool: { description: "d", inputSchema: object }, listed: false },
  { name: "a name that is null", tool: named("x", { name: null }), listed: false },
  { name: "a name that is a number", tool: named("x", { name: 1 }), listed: false },
  { name: "an empty name", tool: named("", {}), listed: false },
  { name: "a very long name", tool: named("x".repeat(300), {}), listed: false },
  { name: "a name with a NUL", tool: named("a\u0000b", {}), listed: false },
  { name: "a name with a line break", tool: named("a\nb", {}), listed: false },
  { name: "a name with half a character", tool: named("a\ud800", {}), listed: false },
  { name: "a name with spaces", tool: named("two words", {}), listed: true },
  { name: "a name with two underscores", tool: named("hub__echo", {}), listed: true },
  { name: "a name of underscores", tool: named("__", {}), listed: true },
  { name: "a name in another script", tool: named("工具", {}), listed: true },
  { name: "no description", tool: { name: "c1", inputSchema: object }, listed: true },
  { name: "a description that is null", tool: named("c2", { description: null }), listed: true },
  { name: "a description that is a number", tool: named("c3", { description: 3 }), listed: true },
  { name: "a description that is an object", tool: named("c4", { description: {} }), listed: true },
  { name: "a title and no description", tool: { name: "c5", title: "Title", inputSchema: object }, listed: true },
  { name: "no inputSchema", tool: { name: "c6", description: "d" }, listed: true },
  { name: "an inputSchema that is null", tool: named("c7", { inputSchema: null }), listed: true },
  { name: "an empty inputSchema", tool: named("c8", { inputSchema: {} }), listed: true },
  { name: "an inputSchema that is true", tool: named("c9", { inputSchema: true }), listed: false },
  { name: "an inputSchema that is a string", tool: named("c10", { inputSchema: "object" }), listed: false },
  { name: "an inputSchema that is an array", tool: named("c11", { inputSchema: [] }), listed: false },
  { name: "an inputSchema of type string", tool: named("c12", { inputSchema: { type: "string" } }), listed: false },
  { name: "an inputSchema of type array", tool: named("c13", { inputSchema: { type: ["object"] } }), listed: false },
  { name: "an inputSchema whose type is null", tool: named("c14", { inputSchema: { type: null } }), listed: true },
  { name: "an inputSchema without a type", tool: named("c15", { inputSchema: { properties: {} } }), listed: true },
  {
    name: "properties that are null",
    tool: named("c16", { inputSchema: { ...object, properties: null } }),
    listed: true,
  },
  {
    name: "properties that are an array",
    tool: named("c17", { inputSchema: { ...object, properties: [] } }),
    listed: false,
  },
  {
    name: "a property that is true",
    tool: named("c18", { inputSchema: { ...object, properties: { a: true } } }),
    listed: true,
  },
  {
    name: "a property that is false",
    tool: named("c19", { inputSchema: { ...object, properties: { a: false } } }),
    listed: true,
  },
  {
    name: "a property that is null",
    tool: named("c20", { inputSchema: { ...object, properties: { a: null } } }),
    listed: false,
  },
  {
    name: "a property that is a string",
    tool: named("c21", { inputSchema: { ...object, properties: { a: "b" } } }),
    listed: false,
  },
  { name: "required that is null", tool: named("c22", { inputSchema: { ...object, required: null } }), listed: true },
  { name: "required that is true", tool: named("c23", { inputSchema: { ...object, required: true } }), listed: false },
  {
    name: "required that has numbers",
    tool: named("c24", { inputSchema: { ...object, required: [1] } }),
    listed: false,
  },
  {
    name: "a schema that refers to itself",
    tool: named("c25", { inputSchema: { ...object, $ref: "#" } }),
    listed: true,
  },
  {
    name: "a schema with $defs and oneOf",
    tool: named("c26", { inputSchema: { ...object, oneOf: [{}], $defs: { a: {} } } }),
    listed: true,
  },
  {
    name: "a schema of great depth",
    tool: named("c27", { inputSchema: { ...object, properties: { a: deep } } }),
    listed: false,
  },
  { name: "a very large tool", tool: named("c28", { description: "x".repeat(300_000) }), listed: false },
  { name: "annotations that are null", tool: named("c29", { annotations: null }), listed: true },
  { name: "annotations that are a list", tool: named("c30", { annotations: [] }), listed: true },
  {
    name: "annotations of wrong types",
    tool: named("c31", { annotations: { readOnlyHint: "yes", title: 1 } }),
    listed: true,
  },
  { name: "an outputSchema of type array", tool: named("c32", { outputSchema: { type: "array" } }), listed: true },
  { name: "an outputSchema that is null", tool: named("c33", { outputSchema: null }), listed: true },
  { name: "an outputSchema that is a string", tool: named("c34", { outputSchema: "x" }), listed: true },
  { name: "icons that are null", tool: named("c35", { icons: null }), listed: true },
  { name: "icons without src", tool: named("c36", { icons: [{}] }), listed: true },
  {
    name: "an execution that asks for tasks",
    tool: named("c37", { execution: { taskSupport: "required" } }),
    listed: true,
  },
  { name: "a title that is a number", tool: named("c38", { title: 5 }), listed: true },
  { name: "members that nobody knows", tool: named("c39", { x: 1, __proto__x: {} }), listed: true },
  {
    name: "a property called __proto__",
    tool: JSON.parse('{"name":"c40","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}}'),
    listed: true,
  },
  { name: "_meta that is a string", tool: named("c41", { _meta: "x" }), listed: true },
  { name: "half a character in the description", tool: named("c42", { description: "a\ud800b" }), listed: true },
  { name: "a NUL in the description", tool: named("c43", { description: "a\u0000b" }), listed: true },
];
