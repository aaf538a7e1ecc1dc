import type { JsonSchema } from "../../api/json-schema.ts";

/** Members of a saved secret that are the gateway's, not a person's to enter. */
const hidden: readonly string[] = ["secret_id"];

/** The members of a record that a person may enter, by what stands in it: some are for some choices of another member only. */
export function membersFor(
  { properties = {} }: JsonSchema,
  value: unknown,
): readonly (readonly [string, JsonSchema])[] {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(properties).filter(([name, member]) => {
    if (member.const !== undefined || hidden.includes(name)) return false;
    return given[name] !== undefined || isFor(member, properties, given);
  });
}

/** Whether a choice beside the member is one of those that it is for. */
function isFor(
  { onlyFor }: JsonSchema,
  properties: NonNullable<JsonSchema["properties"]>,
  given: Readonly<Record<string, unknown>>,
): boolean {
  if (onlyFor === undefined) return true;
  const choice = Object.entries(properties).find(([, member]) => onlyFor.every((word) => member.enum?.includes(word)));
  if (choice === undefined) return true;
  const [name, { enum: choices = [] }] = choice;
  const chosen = given[name] ?? choices[0];
  return typeof chosen === "string" && onlyFor.includes(chosen);
}
