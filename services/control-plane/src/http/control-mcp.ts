import type { IncomingMessage } from "node:http";
import { endOfAbort, GatewayError } from "@gatehouse/errors";
import type { GatewayLog } from "@gatehouse/gateway-log";
import type { BodyBounds } from "@gatehouse/http";
import type { JsonRpcDispatcher } from "@gatehouse/json-rpc";
import { createMcpHandler } from "@gatehouse/mcp";
import type { RequestContext, ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { openRequestRecord } from "./request-record.ts";

const path = "/control/mcp";

/** Handler of `POST /control/mcp`, for administrators that the router has authenticated. */
export function createControlMcpHandler(
  dispatch: JsonRpcDispatcher<RequestContext>,
  bodyBounds: BodyBounds,
  gatewayLog: GatewayLog,
  log: Logger,
): ServiceHandler {
  return createMcpHandler<RequestContext>({
    body: bodyBounds,
    log,
    check,
    open(_req, context, left) {
      const record = openRequestRecord(gatewayLog, context);
      return {
        options: { dispatch: record.watch(dispatch), context, distinctKeys: true, onInvalid: record.refuse },
        end(status, error) {
          const sentInstead = endOfAbort(left);
          record.end(sentInstead?.profile.http ?? status, sentInstead ?? error);
        },
      };
    },
  });
}

function check(req: IncomingMessage, { principal }: RequestContext): void {
  if (principal.kind !== "admin") {
    throw new GatewayError("invalid_token", "The Control Plane takes an admin key (svc_admin_…), not an access token.");
  }
  if (req.url?.split("?", 1)[0] !== path) {
    throw new GatewayError("route_not_found", `There is nothing at this path; the Control Plane is at POST ${path}.`);
  }
}
