import type { Json } from "./control-plane-client.ts";

/** JSON Schema of a tool's argument, as far as policies use it. */
export interface SettingSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly items?: SettingSchema;
  readonly required?: readonly string[];
  readonly minimum?: number;
}

/** Values of settings that their schemas do not list, or do not list as refused. */
const freeValues: Readonly<Record<string, unknown>> = {
  actions: { email: "off" },
  entities: ["email"],
  except: ["github_token"],
  headers: { "x-a": ["b"] },
  keywords: ["falcon"],
  language: "de",
  models: ["m"],
  name: "other",
  path: "$.a",
  // None of the calls (0) is refused.
  sample: 0.5,
  tokens: [1],
  tool: "crm__find",
};

/** Policies with one setting more than a given one. Values differ, so that one of them at least is not the default. */
export function variationsOf(schema: SettingSchema, given: unknown): readonly unknown[] {
  if (Array.isArray(given)) {
    const items = given as readonly unknown[];
    return items.flatMap((item, index) =>
      variationsOf(schema.items ?? {}, item).map((other) => items.with(index, other)),
    );
  }
  if (typeof given !== "object" || given === null) return [];
  const policy = given as Json;
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const values = name in policy ? variationsOf(member, policy[name]) : valuesOf(name, member);
    return values.map((value) => ({ ...policy, [name]: value }));
  });
}

function valuesOf(name: string, schema: SettingSchema): readonly unknown[] {
  if (name in freeValues) return [freeValues[name]];
  const { type, enum: choices, items, properties = {}, required = [], minimum } = schema;
  if (choices !== undefined) return [choices[0], choices.at(-1)];
  if (type === "boolean") return [true, false];
  if (type === "array" && items?.enum !== undefined) return [[items.enum[0]], [items.enum.at(-1)]];
  if (type !== "object") return minimum === undefined ? [] : [minimum];
  return [0, -1].map((at) =>
    Object.fromEntries(required.map((member) => [member, valuesOf(member, properties[member] ?? {}).at(at)])),
  );
}
