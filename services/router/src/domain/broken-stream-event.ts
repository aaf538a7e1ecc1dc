import { GatewayError } from "@gatehouse/errors";

/** End of a reply whose service is lost or whose router stops. */
export function brokenStream(): GatewayError {
  return new GatewayError("unavailable", "The answer was interrupted and is not complete.");
}

/** Last event of a chat stream that ends so. Without `[DONE]`, as after every failure. */
export const brokenStreamEvent: string = toStreamEvent(brokenStream());

/** Data of an error event of a chat stream. */
export function toStreamEvent({ code, message, profile }: Pick<GatewayError, "code" | "message" | "profile">): string {
  return JSON.stringify({ error: { message, type: profile.type, code } });
}
