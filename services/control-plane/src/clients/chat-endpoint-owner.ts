import type { JsonObject } from "@gatehouse/json-rpc";
import type { EndpointDefinition } from "@gatehouse/proto/chat";
import { readArguments } from "../domain/arguments.ts";
import type { ChatAdminClient } from "./chat-admin.ts";
import { toPageMessage, toPageResult } from "./chat-admin.ts";
import { encodeEndpoint } from "./chat-encoding.ts";
import {
  endpointChangeArguments,
  type EndpointChanges,
  type EndpointTarget,
  newEndpointArguments,
} from "./chat-endpoint-arguments.ts";
import type { EndpointOwner } from "./endpoint-owners.ts";

/** AI endpoints, which the chat service keeps for `ai_gateway` and `ai_wrapper` projects. */
export function createChatEndpointOwner(chat: ChatAdminClient): EndpointOwner {
  return {
    async create({ uuid: projectUuid, projectType }, given, options) {
      const args = readArguments(newEndpointArguments, given);
      const streamingEnabled = args.streaming_enabled ?? projectType === "ai_wrapper";
      const definition = { ...toDefinition(args), streamingEnabled };
      return encodeEndpoint((await chat.createEndpoint({ projectUuid, definition }, options)).endpoint);
    },
    async list(projectUuid, page) {
      const { endpoints, nextCursor } = await chat.listEndpoints({ projectUuid, page: toPageMessage(page) });
      return toPageResult(endpoints.map(encodeEndpoint), nextCursor);
    },
    get: async (uuid) => await getEndpoint(chat, uuid),
    async update(uuid, given, options) {
      const changes = readArguments(endpointChangeArguments, given);
      const updateMask = toUpdateMask(changes);
      // An empty mask means every field (google.protobuf.FieldMask), not none.
      if (updateMask.length === 0) return await getEndpoint(chat, uuid);
      const definition = toDefinition(changes);
      const change = { endpointUuid: uuid, definition, updateMask };
      return encodeEndpoint((await chat.updateEndpoint(change, options)).endpoint);
    },
    async setActive(uuid, isActive, options) {
      return encodeEndpoint((await chat.setEndpointActive({ endpointUuid: uuid, isActive }, options)).endpoint);
    },
    delete: async (uuid, options) =>
      encodeEndpoint((await chat.deleteEndpoint({ endpointUuid: uuid }, options)).endpoint),
    async deleteProject(projectUuid) {
      await chat.deleteProject({ projectUuid });
    },
  };
}

async function getEndpoint(chat: ChatAdminClient, uuid: string): Promise<JsonObject> {
  return encodeEndpoint((await chat.getEndpoint({ endpointUuid: uuid })).endpoint);
}

/** The fields that a call names, by their proto names; those that it sets to null are named and absent. */
function toUpdateMask(changes: EndpointChanges): string[] {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  return named.map(([name]) => (name === "monthly_budget_usd" ? "monthly_budget_micros" : name));
}

function toDefinition(args: EndpointChanges): EndpointDefinition {
  return {
    slug: args.slug ?? "",
    targets: (args.targets ?? []).map(toTarget),
    description: args.description ?? undefined,
    systemPrompt: args.system_prompt ?? undefined,
    parameters: args.parameters ?? undefined,
    streamingEnabled: args.streaming_enabled ?? false,
    exposeAsMcpTool: args.expose_as_mcp_tool ?? false,
    maxRequestTokens: args.max_request_tokens ?? undefined,
    monthlyBudgetMicros: args.monthly_budget_usd ?? undefined,
    inputSchema: args.input_schema ?? undefined,
    outputSchema: args.output_schema ?? undefined,
    timeoutMs: args.timeout_ms ?? undefined,
    firstTokenTimeoutMs: args.first_token_timeout_ms ?? undefined,
    idleTimeoutMs: args.idle_timeout_ms ?? undefined,
    midStream: args.mid_stream ?? "error",
    allowedParameters: [...(args.allowed_parameters ?? [])],
  };
}

function toTarget({ provider, model, retries, ...prices }: EndpointTarget): EndpointDefinition["targets"][number] {
  return {
    provider,
    model,
    inputPricePerMillion: prices.input_price_per_million,
    outputPricePerMillion: prices.output_price_per_million,
    // None is stored as an absent field, as in endpoints that never named it.
    retries: retries === 0 ? undefined : retries,
  };
}
