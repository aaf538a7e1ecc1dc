import { GatewayError } from "@gatehouse/errors";

const { code, message, profile } = new GatewayError("unavailable", "The answer was interrupted and is not complete.");

/** Last event of a chat stream whose service is lost or whose router stops. Without `[DONE]`, as after every failure. */
export const brokenStreamEvent: string = toStreamEvent({ code, message, profile });

/** Data of an error event of a chat stream. */
export function toStreamEvent({ code, message, profile }: Pick<GatewayError, "code" | "message" | "profile">): string {
  return JSON.stringify({ error: { message, type: profile.type, code } });
}
