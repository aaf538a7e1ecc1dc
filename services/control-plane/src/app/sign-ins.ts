import { randomBytes } from "node:crypto";
import { systemInitiator } from "@gatehouse/audit";
import { hashToken, mintSessionId, type NamedProvider, type SignInReturn } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import type { SignInClient } from "../clients/sign-in-client.ts";
import { userAgentLengthMax } from "../domain/console-session.ts";
import { grantOfClaims, missingClaims, nameOfClaims, withoutUnverified } from "../domain/sign-in/grant-of-claims.ts";
import {
  attemptBytes,
  attemptLifeMs,
  hashOfAttempt,
  secretsOfAttempt,
  toAttempt,
} from "../domain/sign-in/sign-in-attempt.ts";
import type { SignInProvider, SignInRefusal } from "../domain/sign-in/sign-in-provider.ts";
import type { SubjectDelays } from "../domain/sign-in/subject-delays.ts";
import type { ConsoleSession, ConsoleSessionStore } from "../store/console-sessions.ts";
import type { PersonIdentity } from "../store/people.ts";
import type { RecordFailedLogin } from "./login-record.ts";

interface SignInsOptions {
  readonly providers: readonly SignInProvider[];
  /** The gateway's origin for browsers; from the configuration, never from a request. */
  readonly publicUrl: string;
  readonly client: Pick<SignInClient, "authorizationUrl" | "finish">;
  readonly sessions: Pick<ConsoleSessionStore, "openForPerson" | "endOfPerson">;
  readonly recordFailedLogin: RecordFailedLogin;
  readonly delays: SubjectDelays;
  readonly wallNow: () => number;
  readonly log: Logger;
}

type SignInOutcome =
  | { readonly kind: "signed_in"; readonly session: ConsoleSession; readonly sessionId: string }
  | { readonly kind: "refused"; readonly refusal: SignInRefusal };

interface RefusedSignIn {
  readonly kind: "refused";
  readonly refusal: SignInRefusal;
  /** For the log and the audit event; contains no secret. */
  readonly detail: string;
  readonly subject?: string;
}

type Ended = Exclude<SignInOutcome, { readonly kind: "refused" }> | RefusedSignIn;

/** Signs people in with the operator's identity providers. */
export class SignIns {
  readonly #options: SignInsOptions;

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  list(): readonly NamedProvider[] {
    return this.#options.providers.map(({ id, name }) => ({ id, name }));
  }

  /** Starts a sign-in. @returns the provider's URL for the browser, and the attempt for its cookie */
  async start(providerId: string): Promise<{ readonly url: string; readonly attempt: string } | SignInRefusal> {
    const { client, wallNow, log } = this.#options;
    const provider = this.#find(providerId);
    const attempt = toAttempt(new Date(wallNow()), randomBytes(attemptBytes));
    const secrets = secretsOfAttempt(attempt, providerId, new Date(wallNow()));
    if (provider === undefined || secrets === undefined) return "unknown_provider";
    const found = await client.authorizationUrl(provider, this.#redirectUri(providerId), secrets);
    if (found.kind === "url") return { url: found.url, attempt };
    log.warn({ provider: providerId, detail: found.detail }, "A sign-in could not begin.");
    return found.refusal;
  }

  async finish(request: SignInReturn): Promise<SignInOutcome> {
    const { wallNow, log, recordFailedLogin } = this.#options;
    const at = new Date(wallNow());
    const outcome = await this.#finish(request, at);
    if (outcome.kind === "signed_in") return outcome;
    const { refusal, detail, subject } = outcome;
    const { providerId, ipAddress } = request;
    log.warn({ provider: providerId, refusal, detail, ip_address: ipAddress }, "A sign-in was refused.");
    if (refusal === "unknown_provider" || refusal === "too_many") return outcome;
    const failed = { ipAddress, target: `sign_in:${providerId}`, reason: detail };
    await recordFailedLogin(subject === undefined ? failed : { ...failed, subject }, at);
    return outcome;
  }

  async #finish({ providerId, attempt, query, ipAddress, userAgent }: SignInReturn, at: Date): Promise<Ended> {
    const { client, sessions } = this.#options;
    const provider = this.#find(providerId);
    if (provider === undefined) return refused("unknown_provider", "There is no such provider.");
    const secrets = secretsOfAttempt(attempt, providerId, at);
    if (secrets === undefined)
      return refused("expired", "The browser has no sign-in under way, or it began too long ago.");
    const callback = new URL(this.#redirectUri(providerId));
    callback.search = query;
    if (callback.searchParams.get("state") !== secrets.state) {
      return refused("expired", "The answer is for another sign-in (state).");
    }
    const answer = await client.finish(provider, callback, secrets);
    if (answer.kind === "refused") return answer;
    const claims = withoutUnverified(answer.claims);
    const { issuer, subject } = answer;
    const grant = this.#judge(provider, { issuer, subject, claims }, at);
    if (grant.kind === "refused") {
      if (grant.refusal === "not_allowed") await this.#endSessions({ issuer, subject }, ipAddress);
      return grant;
    }
    const sessionId = mintSessionId().reveal();
    const session = await sessions.openForPerson(
      {
        identity: { issuer, subject },
        name: nameOfClaims(provider, claims),
        grant,
        attemptHash: hashOfAttempt(attempt),
        attemptEndsAt: new Date(at.getTime() + 2 * attemptLifeMs),
        hash: hashToken(sessionId),
        userAgent: userAgent.slice(0, userAgentLengthMax),
      },
      ipAddress,
    );
    if (session === undefined) return { ...refused("expired", "The sign-in was already completed."), subject };
    return { kind: "signed_in", session, sessionId };
  }

  /** Ends the sessions of a person to whom no rule grants a role any longer. */
  async #endSessions(person: PersonIdentity, ipAddress: string): Promise<void> {
    const initiator = { ...systemInitiator, ipAddress };
    const ended = await this.#options.sessions.endOfPerson(person, () => initiator);
    if (ended.length > 0) this.#options.log.warn({ sessions: ended.length }, "A refused person's sessions have ended.");
  }

  #judge({ rules }: SignInProvider, person: Person, at: Date) {
    const { delays } = this.#options;
    const { issuer, subject, claims } = person;
    const name = `${issuer} ${subject}`;
    if (delays.isResting(name, at.getTime())) {
      return {
        ...refused("too_many", "The person was refused too often; a further attempt is possible after a wait."),
        subject,
      };
    }
    const grant = grantOfClaims(rules, claims);
    if (grant !== undefined) {
      delays.forget(name);
      return { kind: "granted", ...grant } as const;
    }
    delays.record(name, at.getTime());
    const missing = missingClaims(rules, claims);
    const absent = missing.length === 0 ? "" : ` Missing claims: ${missing.join(", ")}.`;
    return { ...refused("not_allowed", `No rule of the provider gives the person a role.${absent}`), subject };
  }

  #find(providerId: string): SignInProvider | undefined {
    return this.#options.providers.find(({ id }) => id === providerId);
  }

  #redirectUri(providerId: string): string {
    return `${this.#options.publicUrl}/control/sign-in/${providerId}/callback`;
  }
}

interface Person {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Parameters<typeof grantOfClaims>[1];
}

function refused(refusal: SignInRefusal, detail: string): RefusedSignIn {
  return { kind: "refused", refusal, detail };
}
