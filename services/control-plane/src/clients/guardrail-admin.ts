import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import {
  type Finding,
  type GuardrailAdminServiceDefinition,
  type Policy,
  PolicySource,
} from "@gatehouse/proto/guardrail";
import type { RpcClient } from "@gatehouse/rpc";
import { requirePart, toTimestamp } from "./parse-reply.ts";

/** The guardrail service's administration, in this process or another. */
export type GuardrailAdminClient = RpcClient<typeof GuardrailAdminServiceDefinition>;

/** Whose policy is meant; an empty `endpointUuid` means the project's own. */
export interface GuardrailOwner {
  readonly projectUuid: string;
  readonly endpointUuid: string;
}

/** A policy as the contract shows it: whose it is, where it comes from, every field with its default, and what the owner's own says. */
export function encodePolicy(policy: Policy | undefined, { projectUuid, endpointUuid }: GuardrailOwner): JsonObject {
  const { documentJson, ownDocumentJson, source, updatedAt } = requirePart(policy, "policy");
  return {
    project: projectUuid,
    endpoint: endpointUuid === "" ? null : endpointUuid,
    source: encodeSource(source),
    max_content_length: null,
    ...parseDocument(documentJson),
    own: ownDocumentJson === undefined ? null : parseDocument(ownDocumentJson),
    updated_at: toTimestamp(updatedAt),
  };
}

function parseDocument(text: string): JsonObject {
  const document: unknown = JSON.parse(text);
  return requirePart(isJsonObject(document) ? document : undefined, "policy document");
}

const sources: Readonly<Record<PolicySource, string | null>> = {
  [PolicySource.POLICY_SOURCE_UNSPECIFIED]: null,
  [PolicySource.POLICY_SOURCE_PROJECT]: "project",
  [PolicySource.POLICY_SOURCE_ENDPOINT]: "endpoint",
  [PolicySource.POLICY_SOURCE_BOTH]: "both",
};

/** `null` where there is no policy. */
export function encodeSource(source: PolicySource): string | null {
  return sources[source];
}

export function encodeFinding({ detector, label, start, end, score }: Finding): JsonObject {
  return { detector, label, start, end, ...(score === undefined ? {} : { score }) };
}
