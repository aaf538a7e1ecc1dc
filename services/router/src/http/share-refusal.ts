import { GatewayError } from "@gatehouse/errors";
import type { BodyDebt } from "../domain/body-rate-limiter.ts";
import type { BoundName, HolderName, ShareRefusal } from "../domain/fair-share-limiter.ts";

const retryAfterSeconds = 1;

const holders: Readonly<Record<HolderName, string>> = {
  whole: "the gateway",
  project: "this project",
  token: "this token",
  address: "this address, without a known token,",
};

const bounds: Readonly<Record<BoundName, { readonly what: string; readonly fix: string; readonly setting: string }>> = {
  requestsInFlight: {
    what: "requests in flight",
    fix: "wait until others have finished",
    setting: "REQUESTS_IN_FLIGHT_MAX",
  },
  bufferedBytes: {
    what: "bytes of request bodies and of replies that are not read",
    fix: "read replies as they come, and send fewer large bodies at once",
    setting: "BUFFERED_BYTES_MAX",
  },
  streams: {
    what: "event streams and WebSockets",
    fix: "close those that are not needed",
    setting: "STREAMS_MAX",
  },
};

const shareSettings: Readonly<Record<HolderName, string>> = {
  whole: "",
  project: " or PROJECT_SHARE_PERCENT",
  token: " or TOKEN_SHARE_PERCENT",
  address: " or ADDRESS_SHARE_PERCENT",
};

/** Error that names the exceeded bound and the remedy: 503 for the gateway's bound, 429 for the caller's. */
export function shareRefused({ holder, bound, limit }: ShareRefusal): GatewayError {
  const { what, fix, setting } = bounds[bound];
  const detail = `To go on, ${fix}, or ask the operator to raise ${setting}${shareSettings[holder]}.`;
  const message = `Too much at once: ${holders[holder]} may have ${limit} ${what}.`;
  const details = { detail, bound: `${holder}.${bound}` };
  return new GatewayError(holder === "whole" ? "unavailable" : "too_many_requests", message, {
    details,
    retryAfterSeconds,
  });
}

/** Error for bodies that exceed a rate, with the time to wait. */
export function bodyRateRefused({ holder, waitMs, bytesPerSecond }: BodyDebt): GatewayError {
  const message = `Too much at once: ${holders[holder]} may send ${bytesPerSecond} bytes of large request bodies a second.`;
  const detail = `To go on, send large bodies more slowly, or ask the operator to raise BODY_BYTES_PER_SECOND${holder === "token" ? shareSettings.token : ""}.`;
  const details = { detail, bound: `${holder}.bodyBytesPerSecond` };
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GatewayError("too_many_requests", message, { details, retryAfterSeconds: seconds });
}
