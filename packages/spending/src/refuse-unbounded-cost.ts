import { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json";
import { type ChatMessage, findBadCount } from "@gatehouse/providers";

/** Service tiers that cost at most the price data's price. */
const plainTiers: ReadonlySet<unknown> = new Set(["auto", "default", "flex", "standard", "standard_only"]);
/** Parts of a message that are not billed as text. */
const pricedParts: ReadonlySet<unknown> = new Set(["input_audio", "audio", "video_url", "video"]);
/** Parts whose largest number of tokens is known. Others may refer to an image or a file that the gateway does not see. */
const countedParts: ReadonlySet<unknown> = new Set(["text", "refusal", "thinking", "reasoning", "image_url", "file"]);
/** Members of a file sent with the request; others refer to one that the provider has or fetches. */
const sentFileMembers: ReadonlySet<string> = new Set(["file_data", "filename"]);

type Judge = (value: unknown) => string | undefined;

const refused = (why: string): Judge => {
  return (value) => (value === undefined || value === null || value === false ? undefined : why);
};

const stored = refused("the provider reads it before the request, and how long it is is not known");

/** Parameters that are not billed as tokens of text, or in addition to the limited answer. */
const judges: Readonly<Record<string, Judge>> = {
  audio: refused("audio has separate prices"),
  modalities: (value) => {
    const listed: readonly unknown[] = Array.isArray(value) ? value : [];
    return listed.every((item) => item === "text") ? undefined : "other modalities than text are priced separately";
  },
  prediction: refused("rejected tokens of a prediction are billed beside the answer"),
  web_search_options: refused("searches are priced separately"),
  web_search: refused("searches are priced separately"),
  enable_search: refused("searches are priced separately"),
  plugins: refused("plugins are priced separately"),
  speed: refused("faster answers are priced separately"),
  service_tier: (value) =>
    value === undefined || value === null || plainTiers.has(value) ? undefined : "this tier has a separate price",
  previous_response_id: stored,
  conversation: stored,
  cached_content: stored,
  cachedContent: stored,
  file_ids: stored,
  vector_store_ids: stored,
  prompt_id: stored,
  extra_body: refused("its members cannot be priced"),
  tools: (value) => {
    const listed: readonly unknown[] = Array.isArray(value) ? value : [];
    const isOwn = (tool: unknown) => ["function", "custom"].includes((tool as { type?: string } | null)?.type ?? "");
    return listed.every(isOwn) ? undefined : "tools that a provider runs itself are priced separately";
  },
};

/**
 * Refuses parameters and parts whose cost is not bounded by the number of tokens (400), which a budget could not guarantee
 * (docs/allowances.md, "What a call can cost").
 */
export function refuseUnboundedCost(
  messages: readonly ChatMessage[],
  parameters: JsonObject,
): GatewayError | undefined {
  const bad = findBadCount(parameters);
  if (bad !== undefined) return refusal(bad, "must be a whole number");
  for (const name of Object.keys(parameters)) {
    const why = Object.hasOwn(judges, name) ? judges[name]?.(parameters[name]) : undefined;
    if (why !== undefined) return refusal(name, `is not accepted: ${why}`);
  }
  for (const { content } of messages) {
    for (const part of Array.isArray(content) ? (content as readonly unknown[]) : []) {
      const why = judgePart(part);
      if (why !== undefined) return refusal("messages", why);
    }
  }
  return undefined;
}

function judgePart(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, file } = part as { readonly type?: unknown; readonly file?: unknown };
  if (pricedParts.has(type)) return "must hold no audio and no video: these are priced separately";
  if (!countedParts.has(type)) {
    return `must hold parts of the types ${Array.from(countedParts).join(", ")} only: the cost of others is not known`;
  }
  if (type !== "file" || isSentFile(file)) return undefined;
  return "must hold files as 'file_data' only: the cost of one that is named otherwise is not known";
}

function isSentFile(file: unknown): boolean {
  if (typeof file !== "object" || file === null || !("file_data" in file)) return false;
  return typeof file.file_data === "string" && Object.keys(file).every((name) => sentFileMembers.has(name));
}

function refusal(name: string, why: string): GatewayError {
  return new GatewayError("malformed_body", `This endpoint has a monthly budget, so '${name}' ${why}.`);
}
