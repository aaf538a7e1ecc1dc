import type { JsonSchema } from "../../api/json-schema.ts";

/** Members of a stored secret that only the gateway sets. */
const hidden: readonly string[] = ["secret_id"];

/** Members of a record to enter, some of which apply only to certain choices of another member. */
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

/** Whether a sibling's choice is one for which the member applies. */
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
