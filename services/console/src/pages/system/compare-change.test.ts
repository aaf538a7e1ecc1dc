import { expect, test } from "vitest";
import { compareChange } from "./compare-change.ts";

const before = { projects: [{ name: "Shop", endpoints: [{ slug: "help", description: "old", targets: [] }] }] };
const wanted = {
  providers: [{ name: "openai", kind: "openai", credentials: [{ name: "main", api_key: "sk-1" }] }],
  projects: [{ name: "Shop", endpoints: [{ slug: "help", description: "new" }] }],
};
const base = { project: null, fields: [] } as const;

test("an update shows the settings that differ", () => {
  const change = { action: "update", kind: "endpoint", name: "help", project: "Shop", fields: ["description"] };
  expect(compareChange(change, before, wanted)).toEqual({ before: 'description: "old"', after: 'description: "new"' });
});

test("a created object shows its settings, without secrets", () => {
  expect(compareChange({ ...base, action: "create", kind: "provider", name: "openai" }, before, wanted)).toEqual({
    before: "",
    after: 'name: "openai"\nkind: "openai"',
  });
});

test("a credential is that of its provider", () => {
  const providers = ["openai", "mistral"].map((name, index) => ({
    name,
    credentials: [{ name: "main", is_active: index === 0, api_key: "sk-1" }],
  }));
  const change = { ...base, action: "create", kind: "credential", name: "mistral/main" };
  expect(compareChange(change, {}, { providers })).toEqual({
    before: "",
    after: 'name: "main"\nis_active: false\napi_key: (secret)',
  });
});

test("a created endpoint shows its targets, without secrets of its auth or guardrails", () => {
  const target = { provider: "mock", model: "m" };
  const auth = { type: "header", name: "X-Key", value: "hush" };
  const guardrails = { external: [{ kind: "http", secret: "hush" }] };
  const document = { projects: [{ name: "Shop", endpoints: [{ slug: "new", targets: [target], auth, guardrails }] }] };
  const after = compareChange({ ...base, action: "create", kind: "endpoint", name: "new", project: "Shop" }, {}, document)?.after; // prettier-ignore
  expect(after).toContain('"provider": "mock"');
  expect(after).toContain('"value": "(secret)"');
  expect(after).not.toContain("hush");
});

test("an unknown kind has no comparison", () => {
  expect(compareChange({ ...base, action: "update", kind: "moon", name: "x" }, before, wanted)).toBeUndefined();
});
