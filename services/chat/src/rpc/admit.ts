import { GatewayError } from "@gatehouse/errors";
import type { AdmitRequest, AdmitResponse } from "@gatehouse/proto/chat-calls";
import { rateLimited } from "@gatehouse/limits";
import type { Admit } from "../app/steps/rate-limit.ts";
import type { ReadPrincipal } from "./complete.ts";

export interface AdmitOptions {
  readonly admit: Admit;
  readonly readPrincipal: ReadPrincipal;
}

/** Counts one request of another service. @throws GatewayError `rate_limited` where a limit is reached. */
export async function handleAdmit(
  { admit, readPrincipal }: AdmitOptions,
  { principal }: AdmitRequest,
): Promise<AdmitResponse> {
  if (principal === undefined) throw new GatewayError("invalid_argument", "Missing required argument: principal");
  const admission = await admit(readPrincipal(principal));
  if (!admission.admitted) throw rateLimited(admission);
  const { tightest } = admission;
  return tightest === undefined ? {} : { tightest };
}
