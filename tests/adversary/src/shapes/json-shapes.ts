import { copies, nested, numbered, type Shape } from "./shape.ts";

function value(name: string, build: Shape["build"]): Shape {
  return { name, family: "value", build };
}

/** JSON values that are expensive for their size. */
export const valueShapes: readonly Shape[] = [
  value("nested arrays", (bytes) => nested("[", "]", { bytes })),
  value("nested arrays with a long number", (bytes) => nested("[", "]", { bytes, kernel: "12345678901234567890" })),
  value("nested objects", (bytes) => nested('{"a":', "}", { bytes, kernel: "1" })),
  value("unclosed arrays", (bytes) => copies("[", bytes)),
  value("many keys", (bytes) => `{${numbered((index) => `"k${index}":1`, bytes)}}`),
  value("keys that are numbers", (bytes) => `{${numbered((index) => `"${index * 7_919}":1`, bytes)}}`),
  value("one huge key", (bytes) => `{"${copies("k", bytes)}":1}`),
  value("duplicate keys", (bytes) => `{${numbered(() => '"a":1', bytes)}}`),
  value("keys in two cases", (bytes) => `{${numbered((index) => `"a${index}":1,"A${index}":2`, bytes)}}`),
  value("prototype keys", (bytes) => nested('{"__proto__":', "}", { bytes, kernel: "{}" })),
  value("empty strings", (bytes) => `[${numbered(() => '""', bytes)}]`),
  value("short strings", (bytes) => `[${numbered((index) => `"s${index}"`, bytes)}]`),
  value("small numbers", (bytes) => `[${numbered(() => "1", bytes)}]`),
  value("one long number", (bytes) => copies("1", bytes)),
  value("exponents", (bytes) => `[${numbered(() => "1e308", bytes)}]`),
  value("empty objects", (bytes) => `[${numbered(() => "{}", bytes)}]`),
  value("empty arrays", (bytes) => `[${numbered(() => "[]", bytes)}]`),
  value("objects that differ at the end", (bytes) => `[${numbered((index) => `{"a":"aaaa","b":${index}}`, bytes)}]`),
  value("white space between values", (bytes) => `[1${copies(" \n\t", bytes)}]`),
  value("one string of escapes", (bytes) => `"${copies("\\u0061", bytes)}"`),
];

function schema(name: string, build: Shape["build"]): Shape {
  return { name, family: "schema", build };
}

/** Schemas of a tenant; the size is that of the schema. */
export const schemaShapes: readonly Shape[] = [
  schema("many alternatives", (bytes) => `{"anyOf":[${numbered((index) => `{"const":${index}}`, bytes)}]}`),
  schema("nested conjunctions", (bytes) => nested('{"allOf":[', "]}", { bytes, kernel: "true" })),
  schema(
    "many properties",
    (bytes) => `{"properties":{${numbered((index) => `"p${index}":{"type":"string"}`, bytes)}}}`,
  ),
  schema("many patterns", (bytes) => `{"allOf":[${numbered((index) => `{"pattern":"(a+)+${index}$"}`, bytes)}]}`),
  schema("one long pattern", (bytes) => `{"pattern":"${copies("(a|b)?", bytes)}"}`),
  schema("repeated repetition", (bytes) => `{"pattern":"${copies("(a{1,9}){1,9}", bytes)}"}`),
  schema("many constants", (bytes) => `{"enum":[${numbered((index) => `"e${index}"`, bytes)}]}`),
  schema("many required names", (bytes) => `{"required":[${numbered((index) => `"r${index}"`, bytes)}]}`),
  schema("a chain of references", chainOfReferences),
  schema(
    "unique items of objects",
    (bytes) => `{"uniqueItems":true,"items":{"enum":[${numbered((at) => `{"a":${at}}`, bytes)}]}}`,
  ),
];

function chainOfReferences(bytes: number): string {
  const links = numbered((index) => `"d${index}":{"$ref":"#/$defs/d${index + 1}"}`, bytes);
  return `{"$ref":"#/$defs/d0","$defs":{${links}}}`;
}

function document(name: string, build: Shape["build"]): Shape {
  return { name, family: "document", build };
}

/** Documents of `svc_apply_config`, always with `dry_run`. */
export const documentShapes: readonly Shape[] = [
  document(
    "many projects",
    (bytes) => `{"projects":[${numbered((at) => `{"name":"p${at}","project_type":"ai_gateway"}`, bytes)}]}`,
  ),
  document(
    "one project many times",
    (bytes) => `{"projects":[${numbered(() => '{"name":"p","project_type":"ai_gateway"}', bytes)}]}`,
  ),
  document("many endpoints", (bytes) => {
    const endpoints = numbered((at) => `{"slug":"e${at}","targets":[{"provider":"x","model":"m"}]}`, bytes);
    return `{"projects":[{"name":"p","project_type":"ai_gateway","endpoints":[${endpoints}]}]}`;
  }),
  document("unknown members", (bytes) => `{${numbered((at) => `"unknown${at}":1`, bytes)}}`),
];
