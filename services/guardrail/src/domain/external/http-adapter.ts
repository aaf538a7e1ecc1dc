import { isJsonObject } from "@gatehouse/json";
import { externalBounds } from "./external-document.ts";
import { allowed, type ExternalAdapter, ExternalReplyProblem, type ExternalVerdict } from "./external-verdict.ts";
import { signedHeaders } from "./sign.ts";

/** This gateway's own form: texts with their roles, and an action in answer. docs/guardrails.md has both. */
export const httpAdapter: ExternalAdapter = {
  request({ external, id, projectUuid, endpointUuid, side, texts, secret, timestampSeconds }) {
    const body = JSON.stringify({
      version: 1,
      id,
      guardrail: external.name,
      project: projectUuid,
      endpoint: endpointUuid === "" ? null : endpointUuid,
      side,
      texts: texts.map(({ role, text, tool }, index) => ({ index, role, text, ...(tool && { tool }) })),
    });
    const signature = secret === undefined ? {} : signedHeaders(secret, { id, timestampSeconds, body });
    return { headers: { "content-type": "application/json", ...signature }, body };
  },
  read(reply, { texts }) {
    if (!isJsonObject(reply)) throw new ExternalReplyProblem("The reply is not a JSON object.");
    const { action, message, texts: replaced } = reply;
    if (action === "allow") return allowed;
    if (action === "block") return typeof message === "string" ? { action, message } : { action };
    if (action === "replace") return readReplaced(replaced, texts.length);
    throw new ExternalReplyProblem("The reply's 'action' is none of: allow, block, replace.");
  },
};

function readReplaced(given: unknown, count: number): ExternalVerdict {
  if (!Array.isArray(given) || given.length > count) {
    throw new ExternalReplyProblem("The reply's 'texts' must be a list of at most as many texts as were sent.");
  }
  const texts = new Map<number, string>();
  let units = 0;
  for (const entry of given as readonly unknown[]) {
    if (!isJsonObject(entry)) throw new ExternalReplyProblem("An entry of the reply's 'texts' is not an object.");
    const { index, text } = entry;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count || texts.has(index)) {
      throw new ExternalReplyProblem("An 'index' of the reply is not that of a text that was sent, or comes twice.");
    }
    if (typeof text !== "string") throw new ExternalReplyProblem("A 'text' of the reply is not a string.");
    units += text.length;
    if (units > externalBounds.unitsMax) {
      throw new ExternalReplyProblem(`The reply's texts have more than ${externalBounds.unitsMax} characters.`);
    }
    texts.set(index, text.toWellFormed());
  }
  return texts.size === 0 ? allowed : { action: "replace", texts };
}
