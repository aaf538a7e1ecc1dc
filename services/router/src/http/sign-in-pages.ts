import type { IncomingMessage, ServerResponse } from "node:http";
import { Semaphore } from "@gatehouse/async";
import { isGatewayError, toGatewayError } from "@gatehouse/errors";
import { sendJson } from "@gatehouse/http";
import type { Logger } from "@gatehouse/telemetry";
import type { Request, RequestHandler } from "express";
import { addressKey, type ClientOf } from "../domain/client.ts";
import type { CredentialGuard, QuestionOutcome } from "../domain/credential-guard.ts";
import { isSecureOrigin } from "../domain/secure-request.ts";
import { sessionCookie } from "../domain/session-cookie.ts";
import type { SignInService } from "../domain/session-keeper.ts";
import { endedSignInCookie, readSignInCookie, signInCookie } from "../domain/sign-in-cookie.ts";
import type { Reject } from "./reject.ts";
import { senderAddressOf } from "./request-state.ts";

interface SignInPagesOptions {
  readonly signInService: SignInService;
  readonly publicUrl: string | undefined;
  readonly clientOf: ClientOf;
  /** Delays addresses whose sign-ins fail; shared with admin keys. */
  readonly guard: CredentialGuard;
  readonly reject: Reject;
  readonly log: Logger;
}

/** Concurrent sign-ins at providers: each waits for the provider, and unauthenticated clients can start them. */
const inFlightMax = 64;
/** Prevents caching by intermediaries, a Referer to other sites, and content sniffing. */
const privateHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
/** Fixed target of every sign-in; taking it from the request would allow open redirects. */
const consolePath = "/console";

/** Outcomes for the guard: a provider's failure says nothing about the browser. */
const outcomes: Readonly<Record<string, QuestionOutcome>> = { unavailable: "nothing", too_many: "nothing" };

type SignInPages = Readonly<Record<"sign_in_providers" | "sign_in_start" | "sign_in_return", RequestHandler>>;

/** Handlers of `/control/sign-in…`: redirect browsers to identity providers, and accept their return. */
export function createSignInPages(options: SignInPagesOptions): SignInPages {
  const inFlight = new Semaphore(inFlightMax);
  const bounded =
    (work: (req: Request, res: ServerResponse) => Promise<void>): RequestHandler =>
    (req, res) => {
      const release = inFlight.tryAcquire();
      if (release === undefined) return leadBack(options, res, "too_many");
      work(req, res)
        .catch((err: unknown) => {
          if (!isGatewayError(err)) options.log.error({ err }, "A sign-in failed unexpectedly.");
          if (res.headersSent) res.destroy();
          else leadBack(options, res, "unavailable");
        })
        .finally(release);
      return undefined;
    };
  const { reject } = options;
  const list: RequestHandler = (req, res) => {
    options.signInService.list().then(
      (providers) => sendJson(res, { status: 200, body: { providers }, headers: privateHeaders }),
      (cause: unknown) => reject(req, res, { error: toGatewayError(cause) }),
    );
  };
  return {
    sign_in_providers: list,
    sign_in_start: bounded(async (req, res) => await start(options, req, res)),
    sign_in_return: bounded(async (req, res) => await finish(options, req, res)),
  };
}

async function start(options: SignInPagesOptions, req: Request, res: ServerResponse): Promise<void> {
  const { signInService, publicUrl } = options;
  const started = await signInService.start(String(req.params["provider"]));
  if ("refusal" in started) return leadBack(options, res, started.refusal);
  redirect(res, started.url, [signInCookie(started.attempt, isSecureOrigin(publicUrl))]);
}

async function finish(options: SignInPagesOptions, req: Request, res: ServerResponse): Promise<void> {
  const { signInService, publicUrl, clientOf, guard } = options;
  const { ipAddress } = clientOf(senderAddressOf(req));
  const address = addressKey(ipAddress);
  if (guard.begin(address) !== undefined) return leadBack(options, res, "too_many");
  let outcome: QuestionOutcome = "nothing";
  try {
    const opened = await signInService.finish({
      providerId: String(req.params["provider"]),
      attempt: readSignInCookie(req.rawHeaders, isSecureOrigin(publicUrl)),
      query: queryOf(req),
      ipAddress,
      userAgent: req.headers["user-agent"] ?? "",
    });
    outcome = "refusal" in opened ? (outcomes[opened.refusal] ?? "unknown") : "known";
    if ("refusal" in opened) return leadBack(options, res, opened.refusal);
    redirect(res, consolePath, [
      endedSignInCookie(isSecureOrigin(publicUrl)),
      sessionCookie(opened.sessionId, isSecureOrigin(publicUrl)),
    ]);
  } finally {
    guard.end(address, outcome);
  }
}

/** Redirects to the console, which words the refusal. */
function leadBack({ publicUrl }: Pick<SignInPagesOptions, "publicUrl">, res: ServerResponse, refusal: string): void {
  redirect(res, `${consolePath}?sign_in=${encodeURIComponent(refusal)}`, [
    endedSignInCookie(isSecureOrigin(publicUrl)),
  ]);
}

function redirect(res: ServerResponse, location: string, cookies: readonly string[]): void {
  res.writeHead(303, { ...privateHeaders, location, "set-cookie": [...cookies], "content-length": 0 }).end();
}

function queryOf({ url = "" }: IncomingMessage): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
}
