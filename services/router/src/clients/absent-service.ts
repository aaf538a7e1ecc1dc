import { GatewayError } from "@gatehouse/errors";
import type { ServiceHandler } from "@gatehouse/principal";

/** Stands for a service that this installation does not have: each request is refused as `unavailable`. */
export function createAbsentHandler(service: string): ServiceHandler {
  const message = `The ${service} service is not part of this installation.`;
  return async () => await Promise.reject(new GatewayError("unavailable", message));
}
