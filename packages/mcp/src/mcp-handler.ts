import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError, isGatewayError, toAbortReason, toGatewayError } from "@gatehouse/errors";
import {
  type BodyBounds,
  readDecodedBody,
  recordedReplyEnd,
  replyEndOf,
  sendError,
  sendJsonParts,
  sendJsonText,
} from "@gatehouse/http";
import { answerJsonRpc, type JsonRpcOptions, type JsonRpcReply } from "@gatehouse/json-rpc";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";

/** State of one HTTP request of an MCP endpoint: its methods and context, and the listener for its end. */
export interface McpExchange<Context> {
  readonly options: Omit<JsonRpcOptions<Context>, "onFailure">;
  /** Called once, before the reply is sent. @param error of a request that failed as a whole */
  end(status: number, error?: GatewayError): void;
}

/** Options of {@link createMcpHandler}; `open` and `check` are called before the body is read, so a refusal costs no body. */
export interface McpHandlerOptions<Context> {
  /** Opens the exchange of a request, before its body is read. @param left aborted, with an end (`endOfAbort`), when the reply closes early */
  readonly open: (req: IncomingMessage, request: RequestContext, left: AbortSignal) => McpExchange<Context>;
  /** Refuses a request before its body is read. @throws GatewayError */
  readonly check?: (req: IncomingMessage, request: RequestContext) => void;
  readonly body: BodyBounds;
  readonly log: Logger;
}

/** HTTP handler of an MCP server without sessions: a POST of one envelope or a batch gets one reply. */
export function createMcpHandler<Context>({ open, check, body, log }: McpHandlerOptions<Context>): ServiceHandler {
  return async (req, res, request) => {
    const { requestId } = request;
    const headers = { "x-request-id": requestId };
    const left = new AbortController();
    const onClose = () => left.abort(toAbortReason(replyEndOf(res)));
    res.on("close", onClose);
    const exchange = open(req, request, left.signal);
    const onFailure = (err: GatewayError, method: string) => {
      log[err.profile.logLevel]({ err: err.cause ?? err, method, request_id: requestId }, "An MCP request failed.");
    };
    try {
      check?.(req, request);
      checkMethod(req);
      const reply = await answerJsonRpc(await readDecodedBody(req, body), { ...exchange.options, onFailure });
      exchange.end(reply.status);
      send(res, reply, headers);
    } catch (err) {
      // A body that the gateway has cut off fails as if its client had left.
      const failure = recordedReplyEnd(res) ?? toGatewayError(err);
      if (!isGatewayError(err)) log.error({ err, request_id: requestId }, "An MCP request failed unexpectedly.");
      exchange.end(failure.profile.http, failure);
      sendError(res, failure, { ...headers, ...(failure.code === "method_not_allowed" ? { allow: "POST" } : {}) });
    } finally {
      res.off("close", onClose);
    }
  };
}

function checkMethod({ method }: IncomingMessage): void {
  if (method === "POST") return;
  throw new GatewayError("method_not_allowed", `Method '${method}' is not allowed; use POST.`);
}

function send(res: ServerResponse, { status, body }: JsonRpcReply, headers: Record<string, string>): void {
  if (typeof body === "string") sendJsonText(res, { status, text: body, headers });
  else if (body !== undefined) sendJsonParts(res, { status, parts: body, headers });
  else if (!res.headersSent && !res.destroyed) res.writeHead(status, headers).end();
}
