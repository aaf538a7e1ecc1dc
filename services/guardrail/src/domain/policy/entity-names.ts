import { contextEntities, nationalIdCountries, type PiiEntity, piiEntities, piiLabels } from "../pii/entity.ts";

/** Names of `pii.entities`: identity numbers are asked for by country, `national_id.us`. */
export const entityNames: readonly string[] = [
  ...piiEntities.filter((entity) => entity !== "national_id"),
  ...nationalIdCountries.map((country) => `national_id.${country}`),
];

const chosenByName: readonly PiiEntity[] = ["national_id", ...contextEntities];

/** Value of `pii.entities` when it is left out: everything but identity numbers, which are chosen by country, and what context tells. */
export const defaultEntities: readonly string[] = piiEntities.filter((entity) => !chosenByName.includes(entity));

/** The names that a given one means: itself, or those of another spelling. Undefined for an unknown one. */
export function findEntities(given: string): readonly string[] | undefined {
  return entitiesByOtherName.get(toPlainName(given)) ?? (entityNames.includes(given) ? [given] : undefined);
}

/** Spellings besides the names: labels as callers read them, short forms, and `national_id` for every country. */
const entitiesByOtherName: ReadonlyMap<string, readonly string[]> = new Map([
  ...piiEntities.map((entity) => [toPlainName(piiLabels[entity]), namesOf(entity)] as const),
  ...piiEntities.map((entity) => [toPlainName(entity), namesOf(entity)] as const),
  ["phone", ["phone_number"]],
  ["card", ["credit_card"]],
  ["ip", ["ip_address"]],
]);

function namesOf(entity: PiiEntity): readonly string[] {
  return entity === "national_id" ? nationalIdCountries.map((country) => `national_id.${country}`) : [entity];
}

/** Case, spaces and dashes of a name mean nothing; the dot before a country does. */
function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/gu, "");
}
