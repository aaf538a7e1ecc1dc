import { operations } from "@gatehouse/cli/operations";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../api/json-schema.ts";
import { toLabel } from "../format.ts";
import { hints } from "./field-words.ts";
import { describe } from "./field.ts";
import { withoutProjects, wordedSchema } from "./worded-schema.ts";

/** Operations with a form in the console. */
const forms = operations.filter(({ name }) =>
  /^svc_(?:create|update)_|^svc_(?:set_guardrails|revoke_subject)$/.test(name),
);

interface Said {
  readonly place: string;
  readonly label: string;
  readonly hint: string;
}

function saidBy(place: string, schema: JsonSchema): readonly Said[] {
  const { properties = {}, items, oneOf = [] } = schema;
  const members = Object.entries(properties).flatMap(([name, member]) => [
    { place: `${place}.${name}`, label: member.title ?? toLabel(name), hint: describe(member) ?? "" },
    ...saidBy(`${place}.${name}`, member),
  ]);
  const parts = [...(items?.properties === undefined ? [] : [items]), ...oneOf];
  return [...members, ...parts.flatMap((part) => saidBy(place, part))];
}

/** Terms for callers of the Control Plane: names of arguments and operations, JSON's null, code. */
const callersWords = /svc_(?!live|test)[a-z]|\bnull\b|\babsent\b|`|[a-z]_[a-z]|\buuid|\bRFC\b|milliseconds|[{]"[a-z]+_/;
/** Values to be typed literally. */
const typed = /national_id\.us|env:[A-Z_]+|RFC 6749, section [\d.]+/g;

test.each(forms.map(({ name, inputSchema }) => [name, inputSchema as JsonSchema] as const))(
  "the texts of %s are worded for people",
  (name, schema) => {
    const said = saidBy(name, wordedSchema(schema)).filter(({ place }) => !place.endsWith(".secret_id"));
    const owner = /\.(?:project|endpoint|[a-z]+_id|provider)$/;
    const strange = said.filter(
      ({ place, label, hint }) => !owner.test(place) && callersWords.test(`${label} ${hint.replaceAll(typed, "")}`),
    );
    expect(strange).toEqual([]);
  },
);

test("each hint belongs to a description of the gateway", () => {
  const descriptions = new Set<string>();
  const collect = ({ description, properties = {}, items, oneOf = [] }: JsonSchema): void => {
    if (description !== undefined) descriptions.add(withoutProjects(description));
    for (const part of [...Object.values(properties), ...(items === undefined ? [] : [items]), ...oneOf]) collect(part);
  };
  for (const { inputSchema } of forms) collect(inputSchema as JsonSchema);
  expect(Object.keys(hints).filter((description) => !descriptions.has(description))).toEqual([]);
});

test("amounts of money have the gateway's number of decimals", () => {
  const amounts = forms.flatMap(({ name, inputSchema }) =>
    Object.entries(wordedSchema(inputSchema as JsonSchema).properties ?? {})
      .filter(([field]) => field.endsWith("_budget_usd"))
      .map(([field, { decimalsMax }]) => [`${name}.${field}`, decimalsMax] as const),
  );
  expect(Object.fromEntries(amounts)).toEqual({
    "svc_create_endpoint.monthly_budget_usd": 6,
    "svc_update_endpoint.monthly_budget_usd": 6,
    "svc_create_token.user_monthly_budget_usd": 6,
    "svc_update_token.user_monthly_budget_usd": 6,
  });
});

test("prices of a target have a unit", () => {
  const create = forms.find(({ name }) => name === "svc_create_endpoint");
  const said = saidBy("endpoint", wordedSchema((create?.inputSchema ?? {}) as JsonSchema));
  const prices = said.filter(({ place }) => /\.targets\..*_price_per_million$/.test(place));
  expect(prices.map(({ label, hint }) => `${label}, ${hint}`)).toEqual([
    "Input price, US$ per million tokens",
    "Output price, US$ per million tokens",
  ]);
});
