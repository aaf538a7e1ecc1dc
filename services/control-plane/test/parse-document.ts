import { createArgumentsCheck, object } from "@gatehouse/admin";
import type { JsonObject } from "@gatehouse/json-rpc";
import { type ConfigurationDocument, documentSchema } from "../src/domain/configuration/document.ts";

const check = createArgumentsCheck(object({ document: documentSchema }));

/** Parses a document as `svc_apply_config` does. @throws GatewayError `invalid_argument` naming the place */
export function parseDocument(document: JsonObject): ConfigurationDocument {
  return check({ document }).document;
}
