import { expect, test } from "vitest";
import { exportDocument } from "../../../test/exported-document.ts";
import { documentSchema } from "./document.ts";
import { readSecrets } from "./secret-fields.ts";
import type { ConfigurationState } from "./state.ts";

const judge = { name: "judge", kind: "http", url: "https://judge.example/", secret_kept: true };
const policy = { external: [judge] };
const secretAuths = { header: { type: "header", name: "x" }, basic: { type: "basic", username: "u" } };

/** Every item that has a secret. */
const state: ConfigurationState = {
  providers: [{ settings: { name: "p" }, credentials: [{ id: 1, provider: "p", name: "c" }] }],
  projects: [
    {
      settings: { uuid: "p-1", name: "a", project_type: "api_gateway" },
      guardrails: policy,
      tokens: [],
      issuers: [],
      oauthConnections: [{ id: 2, name: "o", grant: "refresh_token" }],
      endpoints: Object.entries(secretAuths).map(([slug, auth]) => ({
        settings: { uuid: slug, slug, auth },
        guardrails: policy,
      })),
      upstreams: [{ id: 3, prefix: "u", has_bearer_token: true }],
      webhooks: [],
    },
  ],
};

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly writeOnly?: boolean;
}

/** Texts of a document at the places that its schema marks as secrets. */
function secretsIn(value: unknown, { properties = {}, items = {}, writeOnly }: Described): readonly unknown[] {
  if (writeOnly === true) return [value];
  if (Array.isArray(value)) return value.flatMap((member) => secretsIn(member, items));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => secretsIn(member, properties[name] ?? {}));
}

test("the document's schema marks every secret of an export, from which clients know where to fill in", () => {
  const { document, secretNames } = exportDocument(state);
  expect(secretNames).toHaveLength(9);
  expect(new Set(secretsIn(document, documentSchema as Described))).toEqual(
    new Set(secretNames.map((name) => `\${${name}}`)),
  );
});

test("references are found at the same places of a change, each with its path, and nowhere else", () => {
  const one = "${ONE}";
  const given = {
    name: one,
    api_key: one,
    auth: { type: "basic", username: one, password: one },
    external: [{ name: one }, { name: one, secret: one }],
    parameters: { api_key: one, auth: { value: one } },
  };
  const { settings, references } = readSecrets(given);
  expect(references.map(({ field }) => field)).toEqual(["api_key", "auth.password", "external[1].secret"]);
  expect(settings).toEqual(given);
});
