import { GatewayError } from "@gatehouse/errors";
import type { IssuerSettings } from "./issuer-fields.ts";

/** An identity provider whose JWTs are access tokens of a project. */
export interface Issuer extends IssuerSettings {
  readonly id: number;
  readonly projectUuid: string;
  readonly createdAt: Date;
}

/** Issuers that one project may trust. */
export const issuersMax = 20;
/** Subjects of one issuer that are known by a token id. */
export const subjectsMax = 100_000;

/** The refusal for an id without an issuer, or one that the caller may not see. */
export function issuerNotFound(id: number): GatewayError {
  return new GatewayError("not_found", `Issuer not found: ${id}`);
}
