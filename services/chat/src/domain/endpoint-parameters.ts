import { invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json";

/** Parameters that the adapters translate as numbers. */
const numbers = [
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "seed",
] as const;

/**
 * Checks the types of an endpoint's own parameters that every provider reads alike, so that no caller is refused for them. Values
 * are the provider's business: some servers read `max_tokens: -1` as no limit.
 * @throws GatewayError `invalid_argument` that names the first wrong parameter
 */
export function checkEndpointParameters(parameters: JsonObject): void {
  for (const name of numbers) {
    const value = parameters[name] ?? undefined;
    if (value !== undefined && typeof value !== "number") {
      throw invalidArgument(`parameters.${name} must be number or null`);
    }
  }
  const stop = parameters["stop"] ?? [];
  const texts: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  if (!texts.every((text) => typeof text === "string")) {
    throw invalidArgument("parameters.stop must be a text or a list of texts");
  }
}
