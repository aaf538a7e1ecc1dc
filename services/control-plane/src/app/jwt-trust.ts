import { createEgressDispatcher, createEgressGuard, createGuardedFetch, type EgressConfig } from "@gatehouse/egress";
import type { Logger } from "@gatehouse/telemetry";
import type pg from "pg";
import { IssuerKeys, issuerKeyBounds } from "../clients/issuer-keys.ts";
import { JwtVerifier } from "../clients/jwt-verifier.ts";
import { createTrustReader, type TrustReader } from "../store/trusted-issuers.ts";

export interface JwtTrust {
  readonly reader: TrustReader;
  readonly keys: IssuerKeys;
  readonly verifier: JwtVerifier;
  close(): Promise<void>;
}

export interface JwtTrustOptions {
  readonly egress: EgressConfig;
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly now: () => Date;
}

/** All that JWTs of trusted issuers are verified with; issuers are reached through the guarded way out. */
export function openJwtTrust({ egress, pool, log, now }: JwtTrustOptions): JwtTrust {
  const dispatcher = createEgressDispatcher({ guard: createEgressGuard({ allow: egress.allow, logger: log }) });
  const { timeoutMs, sizeBytesMax } = issuerKeyBounds;
  const fetch = createGuardedFetch(dispatcher, { timeoutMs, bodySizeBytesMax: sizeBytesMax });
  const keys = new IssuerKeys(fetch, () => performance.now());
  return {
    reader: createTrustReader(pool),
    keys,
    verifier: new JwtVerifier({ keys, now }),
    close: async () => await dispatcher.destroy(),
  };
}
