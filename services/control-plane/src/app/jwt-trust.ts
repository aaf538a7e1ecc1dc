import { createEgressDispatcher, createGuardedFetch, type EgressGuard } from "@gatehouse/egress";
import type pg from "pg";
import { IssuerKeys, issuerKeyBounds } from "../clients/issuer-keys.ts";
import { JwtVerifier } from "../clients/jwt-verifier.ts";
import { SignInClient } from "../clients/sign-in-client.ts";
import { createTrustReader, type TrustReader } from "../store/trusted-issuers.ts";

/** Trusted issuers and their keys. */
export interface JwtTrust {
  readonly reader: TrustReader;
  readonly keys: IssuerKeys;
  readonly verifier: JwtVerifier;
  readonly signInClient: SignInClient;
  close(): Promise<void>;
}

/**
 * Opens the verification of JWTs; issuers are reached through the guarded egress.
 * @param guard decides which addresses issuers may have
 */
export function openJwtTrust(guard: EgressGuard, pool: pg.Pool, wallNow: () => number): JwtTrust {
  const dispatcher = createEgressDispatcher({ guard });
  const { timeoutMs, sizeBytesMax } = issuerKeyBounds;
  const fetch = createGuardedFetch(dispatcher, { timeoutMs, bodySizeBytesMax: sizeBytesMax });
  const keys = new IssuerKeys(fetch, () => performance.now());
  const verifier = new JwtVerifier(keys, wallNow);
  return {
    reader: createTrustReader(pool),
    keys,
    verifier,
    signInClient: new SignInClient(fetch, verifier, () => performance.now()),
    close: async () => await dispatcher.destroy(),
  };
}
