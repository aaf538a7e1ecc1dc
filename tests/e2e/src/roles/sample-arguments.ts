import type { Json } from "../control-plane-client.ts";
import type { ListedTool, Schema } from "../tool-list/find-breaks.ts";

/** Texts for arguments whose schema is less strict than their owner. */
const texts: Readonly<Record<string, string>> = {
  slug: "sample",
  prefix: "sample",
  url: "http://127.0.0.1:9/sample",
  token_url: "http://127.0.0.1:9/sample",
  issuer: "https://sample.example",
  since: "2026-01-01T00:00:00Z",
  sample: "{}",
  until: "2026-01-01T01:00:00Z",
};

/** Arguments of operations that need one of several, which a schema does not say. */
const oneOfSeveral: Readonly<Record<string, Json>> = {
  svc_add_guardrail_feedback: { text: "sample" },
  svc_test_guardrails: { text: "sample" },
};

/** A value for each required argument of an operation. */
export function sampleArguments({ name, inputSchema }: ListedTool): Json {
  return { ...sampleMembers(inputSchema), ...oneOfSeveral[name] };
}

function sampleMembers({ properties = {}, required = [] }: Schema): Json {
  return Object.fromEntries(required.map((name) => [name, sample(name, properties[name] ?? {})]));
}

function sample(name: string, schema: Schema): unknown {
  const [first] = schema.enum ?? [];
  if (first !== undefined) return first;
  const [type] = [schema.type].flat();
  if (type === "string") return texts[name] ?? "sample";
  if (type === "integer" || type === "number") return schema["minimum"] ?? 1;
  if (type === "boolean") return true;
  if (type !== "array") return sampleMembers(schema);
  return Array.from({ length: Number(schema["minItems"] ?? 0) }, () => sample(name, schema.items ?? {}));
}
