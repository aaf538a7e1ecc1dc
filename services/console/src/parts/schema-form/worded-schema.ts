import type { JsonSchema } from "../../api/json-schema.ts";
import { choices, hints, labels } from "./field-words.ts";

const worded = new WeakMap<JsonSchema, JsonSchema>();

/** Adapts a schema of the Control Plane to forms: titles, descriptions and labels of choices. */
export function wordedSchema(schema: JsonSchema): JsonSchema {
  const known = worded.get(schema);
  if (known !== undefined) return known;
  const made = { ...wordedMember("", schema), ...requiredOf(schema) };
  worded.set(schema, made);
  return made;
}

/** Arguments that a type of project requires, by their descriptions: a form is for one type. */
function requiredOf({ required = [], properties = {} }: JsonSchema): Pick<JsonSchema, "required"> {
  const there = Object.keys(properties).filter((name) => /^In \w+(?: and \w+)? projects, required: /.test(properties[name]?.description ?? "")); // prettier-ignore
  return there.length === 0 ? {} : { required: [...new Set([...required, ...there])] };
}

/** Times of an end, which must be in the future: for an immediate end there are operations. */
const endNames: readonly string[] = ["expires_at", "until"];

function wordedMember(name: string, schema: JsonSchema): JsonSchema {
  const { properties, items, oneOf, description } = schema;
  const title = labels[name];
  const choiceLabels = choices[name];
  return {
    ...schema,
    ...(title !== undefined && { title }),
    ...(endNames.includes(name) && { isFuture: true }),
    ...(name.endsWith("timeout_ms") && { emptyWord: "default" }),
    ...(choiceLabels !== undefined && { choiceLabels }),
    ...(description !== undefined && wordedDescription(description)),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([inner, member]) => [inner, wordedMember(inner, member)]),
      ),
    }),
    ...(items !== undefined && { items: wordedMember("", items) }),
    ...(oneOf !== undefined && { oneOf: oneOf.map((form) => wordedMember("", form)) }),
  };
}

/** "Of presidio and llm_judge: the model." applies to two choices of a sibling member. */
const scope = /^Of ([a-z_]+)(?: and ([a-z_]+))?[:;] /;

/** Decimals of amounts of money, which JSON Schema cannot express exactly: `multipleOf` is checked in binary fractions. */
const decimals = /\bAt most (\d+) decimals\./;

function wordedDescription(description: string): Pick<JsonSchema, "description" | "onlyFor" | "decimalsMax"> {
  const text = withoutProjects(description);
  const [whole = "", ...named] = scope.exec(text) ?? [];
  const rest = text.slice(whole.length);
  const [, decimalsMax] = decimals.exec(text) ?? [];
  return {
    ...(decimalsMax !== undefined && { decimalsMax: Number(decimalsMax) }),
    description: hints[text] ?? rest.charAt(0).toUpperCase() + rest.slice(1),
    ...(whole !== "" && { onlyFor: named.filter((word) => word !== undefined) }),
  };
}

/** A description without its project types: a form is for one of these. */
export function withoutProjects(description: string): string {
  const [first = ""] = description.split(/(?=In api_gateway projects)/);
  return first.replace(/^In (?:ai_gateway and ai_wrapper|api_gateway) projects(?:, required)?: /, "").trim();
}
