import { expect, test } from "vitest";
import { parseDocument } from "../../../test/parse-document.ts";
import { planChanges } from "./plan.ts";
import type { ConfigurationState } from "./state.ts";

const emptyGateway: ConfigurationState = { providers: [], projects: [] };
const form = "must be a string: the secret itself, or ${NAME} in its place until it is filled in. Nothing was changed.";
const credential = (key: unknown) => ({
  providers: [{ name: "p", kind: "mock", credentials: [{ name: "c", api_key: key }] }],
});
const inProject = (members: object) => ({ projects: [{ name: "a", project_type: "ai_gateway", ...members }] });
const plan = (document: object, state = emptyGateway) => planChanges(parseDocument({ version: 1, ...document }), state);

test.each<readonly [object, string]>([
  [credential(12_345_678), "document.providers[0].credentials[0].api_key"],
  [credential({ secret: "12345678" }), "document.providers[0].credentials[0].api_key"],
  [credential(["12345678"]), "document.providers[0].credentials[0].api_key"],
  [credential(true), "document.providers[0].credentials[0].api_key"],
  [
    inProject({ upstreams: [{ prefix: "u", bearer_token: 12_345_678 }] }),
    "document.projects[0].upstreams[0].bearer_token",
  ],
  [
    inProject({ oauth_connections: [{ name: "o", client_secret: [12_345_678], refresh_token: {} }] }),
    "document.projects[0].oauth_connections[0].client_secret, document.projects[0].oauth_connections[0].refresh_token",
  ],
  [
    inProject({ endpoints: [{ slug: "e", auth: { type: "header", name: "x", value: 12_345_678 } }] }),
    "document.projects[0].endpoints[0].auth.value",
  ],
  [
    inProject({ endpoints: [{ slug: "e", auth: { type: "basic", user: "x", password: 12_345_678 } }] }),
    "document.projects[0].endpoints[0].auth.password",
  ],
  [
    inProject({ guardrails: { external: [{ name: "x", url: "https://x.example", secret: 12_345_678 }] } }),
    "document.projects[0].guardrails.external[0].secret",
  ],
])("a secret that is not a text is refused with its path, without its value: %j", (document, places) => {
  expect(() => plan(document)).toThrow(`${places} ${form}`);
  expect(() => plan(document)).not.toThrow("12345678");
});

test("a malformed secret of an existing item, which keeps its secret, is refused as well", () => {
  const settings = { name: "p", kind: "mock", base_url: null, enabled: true };
  const credentials = [{ id: 1, provider: "p", name: "c", is_active: true }];
  const state = { providers: [{ settings, credentials }], projects: [] };
  expect(plan(credential("text"), state)).toEqual([]);
  expect(() => plan(credential(5), state)).toThrow("document.providers[0].credentials[0].api_key must be a string");
});

test("absent secrets and references are not malformed", () => {
  expect(plan(credential(null))).toHaveLength(2);
  expect(plan(credential("${P_C_API_KEY}"))).toHaveLength(2);
});
