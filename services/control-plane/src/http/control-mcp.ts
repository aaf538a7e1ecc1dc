import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { type BodyBounds, readDecodedBody, sendError } from "@gatehouse/http";
import { answerJsonRpc, type JsonRpcDispatcher } from "@gatehouse/json-rpc";
import type { GatewayLog } from "@gatehouse/gateway-log";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { openRequestRecord } from "./request-record.ts";

const path = "/control/mcp";

export interface ControlMcpOptions {
  readonly dispatch: JsonRpcDispatcher<RequestContext>;
  readonly bodyBounds: BodyBounds;
  readonly gatewayLog: GatewayLog;
  readonly log: Logger;
}

/** `POST /control/mcp`, for administrators that the router has authenticated. */
export function createControlMcpHandler(options: ControlMcpOptions): ServiceHandler {
  const { bodyBounds, gatewayLog, log } = options;
  return async (req, res, context) => {
    const { requestId } = context;
    const headers = { "x-request-id": requestId };
    const record = openRequestRecord(gatewayLog, context);
    const dispatch = record.watch(options.dispatch);
    try {
      check(req, context);
      const body = await readDecodedBody(req, bodyBounds);
      const onFailure = (err: GatewayError, method: string) => {
        log[err.profile.logLevel]({ err: err.cause ?? err, method, requestId }, "A Control Plane call failed.");
      };
      const { status, body: text } = await answerJsonRpc(body, { dispatch, context, onFailure });
      record.end(status);
      send(res, { status, text, headers });
    } catch (err) {
      const failure = toGatewayError(err);
      if (!isGatewayError(err)) log.error({ err, requestId }, "A Control Plane request failed unexpectedly.");
      record.end(failure.profile.http, failure.message);
      sendError(res, failure, { ...headers, ...(failure.code === "method_not_allowed" ? { allow: "POST" } : {}) });
    }
  };
}

function check(req: IncomingMessage, { principal }: RequestContext): void {
  if (principal.kind !== "admin") {
    throw new GatewayError("invalid_token", "The Control Plane takes an admin key (svc_admin_…), not an access token.");
  }
  if (req.url?.split("?", 1)[0] !== path) {
    throw new GatewayError("route_not_found", `There is nothing at this path; the Control Plane is at POST ${path}.`);
  }
  if (req.method !== "POST") {
    throw new GatewayError("method_not_allowed", `Method '${req.method}' is not allowed; use POST.`);
  }
}

interface TextReply {
  readonly status: number;
  /** JSON text; undefined where the reply has no body. */
  readonly text: string | undefined;
  readonly headers: OutgoingHttpHeaders;
}

function send(res: ServerResponse, { status, text, headers }: TextReply): void {
  if (res.headersSent || res.destroyed) return;
  if (text === undefined) {
    res.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.from(text);
  const type = { "content-type": "application/json; charset=utf-8", "content-length": bytes.length };
  res.writeHead(status, { ...headers, ...type }).end(bytes);
}
