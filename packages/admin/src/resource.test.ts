import { describe, expect, test } from "vitest";
import {
  array,
  createArgumentsCheck,
  defineResource,
  id,
  integer,
  nullable,
  object,
  secret,
  shown,
  string,
  withDefault,
  writable,
  writableName,
  writableOptional,
} from "./index.ts";

const thing = defineResource({
  id: shown(id("Its id.")),
  display_name: writableName(string({ description: "A name.", lengthMax: 5 })),
  size: writableOptional(withDefault(integer({ description: "A size.", min: 1, max: 5 }), 3)),
  limit: writableOptional(nullable(integer({ description: "A limit.", min: 1, max: 5 }))),
  price_usd: writableOptional(integer({ description: "A price.", min: 0, max: 5 }), {
    column: "priceMicros",
    store: (dollars) => dollars * 1_000_000,
    show: ({ priceMicros }: { readonly priceMicros: number }) => priceMicros / 1_000_000,
  }),
  api_key: secret(string({ description: "A key.", lengthMax: 9 })),
  created_at: shown(string({ description: "When it was made.", lengthMax: 30 })),
});
const row = {
  id: 7,
  displayName: "a",
  size: 3,
  limit: undefined,
  priceMicros: 2_000_000,
  apiKey: "k",
  createdAt: new Date(0),
};

test("a list of texts in another order or with duplicates is no change, and one of objects is", () => {
  const lists = defineResource({
    names: writable(array(string({ description: "A name.", lengthMax: 5 }))),
    targets: writable(array(object({ name: string({ description: "A name.", lengthMax: 5 }) }))),
  });
  const stored = { names: ["a", "b"], targets: [{ name: "a" }, { name: "b" }] };
  expect(lists.changedFields(stored, { names: ["b", "a", "b"], targets: stored.targets })).toEqual([]);
  expect(lists.changedFields(stored, { names: ["a"], targets: stored.targets.toReversed() })).toEqual([
    "names",
    "targets",
  ]);
});

test("one table yields the arguments of creation and update, and the public shape", () => {
  expect(object(thing.createInput)).toMatchObject({ required: ["display_name"] });
  expect(Object.keys(thing.createInput)).toEqual(["display_name", "size", "limit", "price_usd", "api_key"]);
  expect(object(thing.updateInput)).not.toHaveProperty("required");
  expect(JSON.stringify(thing.updateInput)).not.toContain("default");
  expect(Object.keys(thing.shape.properties)).not.toContain("api_key");
});

describe("null in a change", () => {
  const mode = writableOptional(string({ description: "A mode.", lengthMax: 5 }), { removedBy: "none" });
  const other = defineResource({ ...thing.fields, mode });
  const change = createArgumentsCheck(object(other.updateInput));

  test("is a value where the schema admits it, and counts as absent for a name", () => {
    expect(change({ limit: null, display_name: null })).toEqual({ limit: null });
  });

  test.each(["size", "price_usd", "api_key"])("is refused for %s, which has no such value", (name) => {
    expect(() => change({ [name]: null })).toThrow(
      expect.objectContaining({ message: `${name} must not be null: leave it out to keep it` }),
    );
  });

  test("is refused for a setting that another value removes, with this value", () => {
    const message = 'mode must not be null: leave it out to keep it, or give "none" to remove it';
    expect(() => change({ mode: null })).toThrow(message);
  });

  test("is refused in a change alone: a creation takes it as absent", () => {
    const creation = createArgumentsCheck(object(other.createInput));
    expect(creation({ display_name: "a", mode: null, size: null })).toEqual({ display_name: "a", size: 3 });
  });
});

test("a record is encoded under its fields' names, without secrets, dates as text and absent values as null", () => {
  expect(thing.encode(row)).toEqual({
    id: 7,
    display_name: "a",
    size: 3,
    limit: null,
    price_usd: 2,
    created_at: "1970-01-01T00:00:00.000Z",
  });
});

test("given fields become columns; absent and foreign fields are left out", () => {
  const given = { display_name: "b", price_usd: 3, limit: null, project: "p", api_key: undefined };
  expect(thing.toColumns(given)).toEqual({ displayName: "b", priceMicros: 3_000_000, limit: null });
});

test("only fields whose stored value would differ count as changed", () => {
  expect(thing.changedFields(row, { display_name: "a", price_usd: 2, size: 4 })).toEqual(["size"]);
});
