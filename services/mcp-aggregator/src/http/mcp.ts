import type { IncomingMessage } from "node:http";
import { GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { type BodyBounds, readDecodedBody, sendError, sendJsonParts, sendJsonText } from "@gatehouse/http";
import {
  answerJsonRpc,
  type CallsInFlight,
  type JsonRpcDispatcher,
  jsonRpcErrorCodes,
  mcpSharedMethods,
} from "@gatehouse/json-rpc";
import type { RequestContext, ServiceHandler, TokenPrincipal } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import type { McpRequest } from "../domain/gateway.ts";
import { hopsHeader } from "../domain/hops.ts";
import type { RecordOutcome } from "../domain/request-outcome.ts";

export interface McpHandlerOptions {
  readonly dispatch: JsonRpcDispatcher<McpRequest>;
  readonly inFlight: CallsInFlight;
  readonly bodyBounds: BodyBounds;
  readonly log: Logger;
  /** Told of what never became a request. */
  readonly record: RecordOutcome;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}

/** `POST /api/{uuid}/mcp` of `mcp_gateway` projects, for callers that the router has let through. */
export function createMcpHandler(options: McpHandlerOptions): ServiceHandler {
  const { bodyBounds, log } = options;
  return async (req, res, context) => {
    const { requestId } = context;
    const headers = { "x-request-id": requestId };
    const left = new AbortController();
    const onClose = () => left.abort();
    res.on("close", onClose);
    const startedAtMs = options.wallNow();
    const request = toRequest(req, context, left.signal);
    try {
      checkMethod(req);
      const reply = await answer(await readDecodedBody(req, bodyBounds), { options, request, context });
      const { status, parts } = reply;
      const body = parts === undefined ? reply.body : undefined;
      if (parts !== undefined) sendJsonParts(res, { status, parts, headers });
      else if (body === undefined) res.writeHead(status, headers).end();
      else sendJsonText(res, { status, text: body, headers });
    } catch (err) {
      const failure = toGatewayError(err);
      if (!isGatewayError(err)) log.error({ err, requestId }, "An MCP request failed unexpectedly.");
      options.record({ status: failure.profile.http, error: failure.message, startedAtMs }, request);
      sendError(res, failure, { ...headers, ...(failure.code === "method_not_allowed" ? { allow: "POST" } : {}) });
    } finally {
      res.off("close", onClose);
    }
  };
}

interface AnswerParts {
  readonly options: McpHandlerOptions;
  readonly request: McpRequest;
  readonly context: RequestContext;
}

async function answer(body: Buffer, { options, request, context }: AnswerParts) {
  const { dispatch, inFlight, log } = options;
  const { requestId, ipAddress } = context;
  const caller = `${request.principal.tokenId} ${ipAddress}`;
  const calls = inFlight.open(caller, request.signal);
  try {
    return await answerJsonRpc(body, {
      dispatch,
      context: request,
      keepsParams: true,
      sharedMethods: mcpSharedMethods,
      toRequestContext: (shared, { id, params }) => ({ ...shared, id, params, signal: calls.signalFor(id) }),
      onNotification: (method, params) => inFlight.note(caller, method, params),
      onInvalid: ({ code, message }) => {
        const status = code === jsonRpcErrorCodes.parseError ? 400 : 200;
        options.record({ status, error: message, startedAtMs: options.wallNow() }, request);
      },
      onFailure: (err, method) => {
        log[err.profile.logLevel]({ err: err.cause ?? err, method, requestId }, "An MCP call failed.");
      },
    });
  } finally {
    calls.close();
  }
}

function checkMethod({ method }: IncomingMessage): void {
  if (method === "POST") return;
  throw new GatewayError("method_not_allowed", `Method '${method}' is not allowed; use POST.`);
}

function toRequest(req: IncomingMessage, context: RequestContext, signal: AbortSignal): McpRequest {
  const { principal, requestId, ipAddress, span, user } = context;
  return {
    principal: requireToken(principal),
    requestId,
    ipAddress,
    traceId: span.traceId,
    user,
    signal,
    hopsHeader: req.headers[hopsHeader],
    traceparent: span.traceparent ?? "",
    id: undefined,
    params: undefined,
  };
}

/** The router lets nobody else through. */
function requireToken(principal: RequestContext["principal"]): TokenPrincipal {
  if (principal.kind === "token") return principal;
  throw new GatewayError("invalid_token", "Invalid or revoked token.");
}
