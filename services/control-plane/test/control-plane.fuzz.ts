import { isGatewayError } from "@gatehouse/errors";
import { isJsonObject } from "@gatehouse/json-rpc";
import { planChanges } from "../src/domain/configuration/plan.ts";
import { jsonOf } from "./json-of.ts";
import { parseDocument } from "./parse-document.ts";

const document = {
  version: 1,
  providers: [{ name: "openai", kind: "openai", credentials: [{ name: "main" }] }],
  projects: [
    { name: "Support", project_type: "ai_gateway", endpoints: [{ slug: "answers" }], tokens: [{ name: "app" }] },
  ],
};

/** Ignores text that is not JSON. */
function readDocument(bytes: Buffer): void {
  const given = jsonOf(bytes);
  if (isJsonObject(given)) planChanges(parseDocument(given), { providers: [], projects: [] });
}

export const fuzzTargets = [
  {
    name: "configuration-document",
    seeds: [JSON.stringify(document), '{"version":"1"}'],
    words: ['"uuid":', '"slug":', '"is_active":', '"guardrails":{}', '"__proto__":{}', "null", "[]"],
    run: readDocument,
    isDeclared: isGatewayError,
  },
];
