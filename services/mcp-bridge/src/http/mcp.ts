import { isGatewayError, toGatewayError } from "@gatehouse/errors";
import { type BodyBounds, readDecodedBody, sendError, sendJsonParts, sendJsonText } from "@gatehouse/http";
import {
  answerJsonRpc,
  type CallsInFlight,
  type JsonRpcDispatcher,
  type JsonRpcReply,
  jsonRpcErrorCodes,
  mcpSharedMethods,
} from "@gatehouse/json-rpc";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import type { BridgeContext } from "../domain/bridge-server.ts";
import type { RecordOutcome } from "../domain/request-outcome.ts";

export interface BridgeHandlerOptions {
  readonly dispatch: JsonRpcDispatcher<BridgeContext>;
  readonly inFlight: CallsInFlight;
  readonly body: BodyBounds;
  readonly log: Logger;
  /** Told of what never became a request. */
  readonly record: RecordOutcome;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** `POST /api/{uuid}/mcp` of `ai_gateway` projects. A client that leaves, or says that it has cancelled a call, cancels the provider call. */
export function createBridgeHandler(options: BridgeHandlerOptions): ServiceHandler {
  return async (req, res, request) => {
    const { requestId } = request;
    const headers = { "x-request-id": requestId };
    const startedAtMs = options.now();
    const abort = new AbortController();
    const onClose = () => abort.abort();
    res.on("close", onClose);
    const context = toBridgeContext(request, abort.signal);
    try {
      const bytes = await readDecodedBody(req, options.body);
      const reply = await answer(bytes, context, options);
      res.off("close", onClose);
      const { status, parts } = reply;
      const body = parts === undefined ? reply.body : undefined;
      if (parts !== undefined) sendJsonParts(res, { status, parts, headers });
      else if (body === undefined) res.writeHead(status, headers).end();
      else sendJsonText(res, { status, text: body, headers });
    } catch (err) {
      const failure = toGatewayError(err);
      if (!isGatewayError(err))
        options.log.error({ err, request_id: requestId }, "An MCP request failed unexpectedly.");
      options.record({ status: failure.profile.http, error: failure.message, startedAtMs }, context);
      sendError(res, failure, headers);
    }
  };
}

async function answer(bytes: Buffer, context: BridgeContext, options: BridgeHandlerOptions): Promise<JsonRpcReply> {
  const { dispatch, inFlight, log, record, now } = options;
  const { requestId } = context;
  const caller = `${context.principal.tokenId} ${context.ipAddress}`;
  const calls = inFlight.open(caller, context.signal);
  try {
    return await answerJsonRpc(bytes, {
      dispatch,
      context,
      sharedMethods: mcpSharedMethods,
      toRequestContext: (shared, { id }) => ({ ...shared, signal: calls.signalFor(id) }),
      onNotification: (method, params) => inFlight.note(caller, method, params),
      onFailure: (err, method) =>
        log[err.profile.logLevel]({ err: err.cause ?? err, method, request_id: requestId }, "An MCP request failed."),
      onInvalid: ({ code, message }) =>
        record(
          { status: code === jsonRpcErrorCodes.parseError ? 400 : 200, error: message, startedAtMs: now() },
          context,
        ),
    });
  } finally {
    calls.close();
  }
}

/** @throws Error a defect: the router takes nothing but access tokens on this route. */
function toBridgeContext(
  { principal, requestId, ipAddress, span, user }: RequestContext,
  signal: AbortSignal,
): BridgeContext {
  if (principal.kind !== "token") throw new Error("The router let an administrator's key through to MCP Bridge.");
  const { traceparent, traceId } = span;
  return { principal, requestId, ipAddress, traceparent, traceId, user, signal };
}
