import { expect, test } from "vitest";
import { membersFor } from "./members-for.ts";
import { wordedSchema } from "./worded-schema.ts";

const schema = wordedSchema({
  properties: {
    kind: { type: "string", enum: ["http", "presidio", "llm_judge", "llama_guard"] },
    url: { type: "string", description: "Where questions are posted to." },
    model: { type: "string", description: "Of llama_guard and llm_judge: the model to ask for." },
    language: { type: "string", description: "Of presidio; en where absent." },
    secret_id: { type: "string" },
  },
});
const namesFor = (value: unknown) => membersFor(schema, value).map(([name]) => name);

test("a member for some choices only is in the form if one of them is chosen", () => {
  expect(namesFor(undefined)).toEqual(["kind", "url"]);
  expect(namesFor({ kind: "presidio" })).toEqual(["kind", "url", "language"]);
  expect(namesFor({ kind: "llm_judge" })).toEqual(["kind", "url", "model"]);
});

test("a member with a value is in the form, for any choice", () => {
  expect(namesFor({ kind: "http", model: "left over" })).toEqual(["kind", "url", "model"]);
});
