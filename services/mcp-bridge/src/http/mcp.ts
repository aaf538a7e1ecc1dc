import { GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { type BodyBounds, readBody, sendError, sendJsonText } from "@gatehouse/http";
import { answerJsonRpc, type JsonRpcDispatcher } from "@gatehouse/json-rpc";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import type { BridgeContext } from "../domain/bridge-server.ts";

export interface BridgeHandlerOptions {
  readonly dispatch: JsonRpcDispatcher<BridgeContext>;
  readonly body: BodyBounds;
  readonly log: Logger;
}

/** `POST /api/{uuid}/mcp` of `ai_gateway` projects. A client that leaves cancels its calls. */
export function createBridgeHandler({ dispatch, body: bounds, log }: BridgeHandlerOptions): ServiceHandler {
  return async (req, res, request) => {
    const { requestId } = request;
    const headers = { "x-request-id": requestId };
    const abort = new AbortController();
    const onClose = () => abort.abort();
    res.on("close", onClose);
    try {
      const context = toBridgeContext(request, abort.signal);
      const bytes = await readBody(req, bounds);
      const onFailure = (err: GatewayError, method: string) =>
        log[err.profile.logLevel]({ err: err.cause ?? err, method, request_id: requestId }, "An MCP request failed.");
      const { status, body } = await answerJsonRpc(bytes, { dispatch, context, onFailure });
      res.off("close", onClose);
      if (body === undefined) res.writeHead(status, headers).end();
      else sendJsonText(res, { status, text: body, headers });
    } catch (err) {
      if (!isGatewayError(err)) log.error({ err, request_id: requestId }, "An MCP request failed unexpectedly.");
      sendError(res, toGatewayError(err), headers);
    }
  };
}

function toBridgeContext({ principal, requestId, ipAddress, hop }: RequestContext, signal: AbortSignal): BridgeContext {
  if (principal.kind !== "token") throw new GatewayError("invalid_token", "Invalid or revoked token.");
  return { principal, requestId, ipAddress, traceparent: hop.traceparent, signal };
}
