import { limitThinking } from "../ai-sdk/limit-thinking.ts";
import type { ProviderModel } from "../ai-sdk/provider-model.ts";
import { parseBaseUrl } from "../exchange/base-url.ts";
import { asRecord } from "../exchange/json.ts";
import { type ProviderAddress, ProviderError } from "../provider.ts";

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
  async createModel({ address, apiKey, fetch }) {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    const credential = toCredential(apiKey, address);
    return createAmazonBedrock({ ...toEndpoint(address), ...credential, fetch })(address.model);
  },
  async createEmbeddingModel({ address, apiKey, fetch }) {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    const credential = toCredential(apiKey, address);
    return createAmazonBedrock({ ...toEndpoint(address), ...credential, fetch }).embeddingModel(address.model);
  },
  limitAnswer(body, tokensMax) {
    const { additionalModelRequestFields: fields, inferenceConfig, ...others } = body;
    const limited = limitThinking(asRecord(fields) ?? {}, tokensMax);
    return {
      ...others,
      inferenceConfig: { ...asRecord(inferenceConfig), maxTokens: tokensMax },
      ...(fields === undefined ? {} : { additionalModelRequestFields: limited }),
    };
  },
  toEmbeddingOptions: (dimensions, model) => ({ amazonBedrock: { [dimensionsOption(model)]: dimensions } }),
};

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

interface AccessKey {
  readonly apiKey: "";
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Splits the credential. An empty API key makes the package sign requests, and keeps it from looking for a key in the environment. */
function toCredential(credential: string, { provider }: ProviderAddress): AccessKey | { readonly apiKey: string } {
  if (!/^(?:AKIA|ASIA)[A-Z0-9]+:/.test(credential)) {
    if (credential.trim() === "")
      throw new ProviderError("unreachable", `${provider} has an empty credential`).asFree();
    return { apiKey: credential };
  }
  const [accessKeyId = "", secretAccessKey = "", sessionToken] = credential.split(":");
  const accessKey = { apiKey: "", accessKeyId, secretAccessKey } as const;
  return sessionToken === undefined ? accessKey : { ...accessKey, sessionToken };
}
