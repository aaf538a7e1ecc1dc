import { GatewayError } from "@gatehouse/errors";

const { code, message, profile } = new GatewayError("unavailable", "The answer was broken off; it is not complete.");

/** Data of the event that ends a chat's stream whose service is gone, or whose router stops: without `[DONE]`, as every failure. */
export const brokenStreamEvent: string = toStreamEvent({ code, message, profile });

/** Data of the event that ends a chat's stream with a reason. */
export function toStreamEvent({ code, message, profile }: Pick<GatewayError, "code" | "message" | "profile">): string {
  return JSON.stringify({ error: { message, type: profile.type, code } });
}
