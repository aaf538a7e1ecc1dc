import type { Database } from "@gatehouse/database";
import type { Keyring } from "@gatehouse/vault";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import type { Judge } from "../domain/policy/judge.ts";
import type { PolicyDocument } from "../domain/policy/policy-document.ts";
import type { PolicyStore } from "../store/policies.ts";

/** Context of administrative methods. They read from the database, so that a change is seen as soon as it is made. */
export interface AdminContext {
  readonly database: Database;
  readonly store: PolicyStore;
  readonly judge: Judge;
  /** Names a policy by its content. */
  readonly policyKeyOf: (document: PolicyDocument) => string;
  /** Seals the secrets of guardrails elsewhere. */
  readonly keyring: Keyring;
  /** @throws GatewayError `ssrf_blocked` for a URL that leads where no question may go. */
  readonly checkUrl: (url: string) => Promise<URL>;
  /** @throws GatewayError `invalid_argument` naming the field and, in lists, the position. */
  readonly compile: (document: unknown) => Promise<CompiledPolicy>;
  readonly combine: (project: CompiledPolicy, endpoint: CompiledPolicy) => Promise<CompiledPolicy>;
}
