import type { IncomingMessage } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import type { GatewayLog } from "@gatehouse/gateway-log";
import type { RequestContext } from "@gatehouse/principal";

interface Outcome {
  readonly status: number;
  readonly error?: GatewayError;
  readonly endpointUuid?: string | undefined;
  /** Number of requests sent to the upstream. */
  readonly attempts: number;
}

interface OpenOutcome {
  end(outcome: Outcome): void;
}

/** Called when a request arrives, since it starts the duration; `end` appends the request's one entry to the gateway log. */
export type OpenOutcomeOf = (req: IncomingMessage, context: RequestContext) => OpenOutcome;

/** Appends one entry to the gateway log for each request. */
export function createOutcomes(log: GatewayLog): OpenOutcomeOf {
  return (req, { requestId, principal, span, user }) => {
    const [atMs, startedAt] = [Date.now(), performance.now()];
    return {
      end({ status, error, endpointUuid, attempts }) {
        log.append({
          atMs,
          requestId,
          traceId: span.traceId,
          user,
          ...(principal.kind === "token" ? { projectUuid: principal.project.uuid, tokenId: principal.tokenId } : {}),
          endpointUuid,
          route: "proxy",
          status,
          error: error?.loggedMessage,
          errorCode: error?.code,
          durationMs: performance.now() - startedAt,
          attempts,
          details: { method: req.method ?? "" },
        });
      },
    };
  };
}
