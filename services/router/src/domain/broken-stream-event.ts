import { GatewayError } from "@gatehouse/errors";

const { code, message, profile } = new GatewayError("unavailable", "The answer was broken off; it is not complete.");

/** Data of the event that ends a chat's stream whose service is gone, or whose router stops: without `[DONE]`, as every failure. */
export const brokenStreamEvent: string = JSON.stringify({ error: { message, type: profile.type, code } });
