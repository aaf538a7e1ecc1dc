import type { Arguments } from "../../api/control-plane.ts";
import type { JsonSchema } from "../../api/json-schema.ts";

/** Initial values: a required choice shows its first entry, and so holds it. */
export function chosenIn({ properties = {}, required = [] }: JsonSchema, names = required): Arguments {
  const chosen = names.flatMap((name) => {
    const [first] = properties[name]?.enum ?? [];
    return required.includes(name) && first !== undefined && first !== null ? [[name, first] as const] : [];
  });
  return Object.fromEntries(chosen);
}
