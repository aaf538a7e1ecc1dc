import type { JsonObject } from "@gatehouse/json";
import { limitThinking, lowered } from "../ai-sdk/limit-thinking.ts";
import { needsSignedThinking } from "../ai-sdk/needs-signed-thinking.ts";
import type { ProviderModel } from "../ai-sdk/provider-model.ts";
import { withoutBlankStops } from "../ai-sdk/without-blank-stops.ts";
import { parseBaseUrl } from "../exchange/base-url.ts";
import { asRecord } from "../exchange/json.ts";
import { type ProviderAddress, ProviderError } from "../provider.ts";
import { replyView } from "./reply-view.ts";
import { type AccessKey, signRequest } from "./sign-request.ts";
import { withoutTools } from "./without-tools.ts";

const defaultRegion = "us-east-1";

/**
 * Amazon Bedrock's Converse API. The credential is one of two:
 * - a Bedrock API key, sent as a bearer token;
 * - `accessKeyId:secretAccessKey` or `accessKeyId:secretAccessKey:sessionToken`, with which requests are signed.
 *
 * The region comes from the base URL, e.g. `https://bedrock-runtime.eu-central-1.amazonaws.com`; from its query,
 * `?region=eu-central-1`, where the host does not name one (a VPC endpoint, a proxy); without a base URL it is us-east-1. Nothing
 * is taken from the environment or from the machine's role.
 */
export const providerModel: ProviderModel = {
  promptForm: { imageAddresses: "none", system: "first", toolCallId: /^[a-zA-Z0-9_-]{1,64}$/ },
  replyView,
  async createModel({ address, apiKey, fetch }) {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    return createAmazonBedrock({ ...toEndpoint(address), apiKey: toApiKey(apiKey, address), fetch })(address.model);
  },
  async createEmbeddingModel({ address, apiKey, fetch }) {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    const bedrock = createAmazonBedrock({ ...toEndpoint(address), apiKey: toApiKey(apiKey, address), fetch });
    return bedrock.embeddingModel(address.model);
  },
  sign(address, request) {
    const key = toAccessKey(address.apiKey?.reveal() ?? "");
    return key === undefined ? {} : signRequest({ ...request, key, region: toEndpoint(address).region });
  },
  limitAnswer(body, tokensMax) {
    const { additionalModelRequestFields: fields, inferenceConfig, ...others } = body;
    const maxTokens = lowered(asRecord(inferenceConfig)?.["maxTokens"], tokensMax);
    const limited = limitEffort(limitThinking(asRecord(fields) ?? {}, maxTokens));
    return {
      ...others,
      inferenceConfig: { ...asRecord(inferenceConfig), maxTokens },
      ...(fields === undefined ? {} : { additionalModelRequestFields: limited }),
    };
  },
  settleReasoning(body) {
    const { thinking, ...otherFields } = asRecord(body["additionalModelRequestFields"]) ?? {};
    if (asRecord(thinking)?.["type"] !== "enabled") return body;
    const choice = asRecord(asRecord(body["toolConfig"])?.["toolChoice"]) ?? {};
    if (!("any" in choice || "tool" in choice || needsSignedThinking(body["messages"]))) return body;
    return { ...body, additionalModelRequestFields: otherFields };
  },
  adaptCallOptions(options, _request, model) {
    const accepted = withoutTools(options);
    return model.includes("anthropic") ? withoutBlankStops(accepted) : accepted;
  },
  toEmbeddingOptions: (dimensions, model) => ({ amazonBedrock: { [dimensionsOption(model)]: dimensions } }),
};

/** Nova's highest effort permits no limit, so that a limited answer gets the next one. */
function limitEffort(fields: JsonObject): JsonObject {
  const reasoning = asRecord(fields["reasoningConfig"]);
  if (!unlimitedEfforts.has(reasoning?.["maxReasoningEffort"])) return fields;
  return { ...fields, reasoningConfig: { ...reasoning, maxReasoningEffort: "medium" } };
}

const unlimitedEfforts: ReadonlySet<unknown> = new Set(["high", "xhigh", "max"]);

/** Name of the option for the length of vectors, by family of embedding models. */
function dimensionsOption(model: string): string {
  if (model.includes("nova")) return "embeddingDimension";
  return model.includes("cohere") ? "outputDimension" : "dimensions";
}

interface BedrockEndpoint {
  readonly baseURL: string;
  readonly region: string;
}

function toEndpoint({ baseUrl, provider }: ProviderAddress): BedrockEndpoint {
  if (baseUrl === undefined) {
    return { baseURL: `https://bedrock-runtime.${defaultRegion}.amazonaws.com`, region: defaultRegion };
  }
  const { origin, path, query } = parseBaseUrl(baseUrl, provider);
  const named = /^https?:\/\/bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(origin)?.[1];
  return { baseURL: `${origin}${path}`, region: named ?? new URLSearchParams(query).get("region") ?? defaultRegion };
}

/**
 * Bearer token for the package. With an access key it is a placeholder: the adapter signs the request once its body is final, and
 * no token makes the package look for one in the environment.
 */
function toApiKey(credential: string, { provider }: ProviderAddress): string {
  if (credential.trim() === "") throw new ProviderError("unreachable", `${provider} has an empty credential`).asFree();
  return toAccessKey(credential) === undefined ? credential : "signed";
}

function toAccessKey(credential: string): AccessKey | undefined {
  if (!/^(?:AKIA|ASIA)[A-Z0-9]+:/.test(credential)) return undefined;
  const [accessKeyId = "", secretAccessKey = "", sessionToken] = credential.split(":");
  return { accessKeyId, secretAccessKey, sessionToken };
}
