import type { RequestListener } from "node:http";
import { GatewayError, toGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { firstRefusal } from "../domain/guards.ts";
import type { ControlRoute, PublicRoute, PublicRouteId, Route } from "../domain/route-table.ts";
import type { Gate } from "./gate.ts";
import { requestIds } from "./listener.ts";
import { refuse } from "./refusal.ts";
import type { RecordUnserved } from "./request-record.ts";

export interface ControlLaneOptions {
  readonly routes: readonly Route[];
  readonly gate: Gate;
  /** What the router answers itself. */
  readonly pages: Readonly<Record<PublicRouteId, RequestHandler>>;
  readonly recordUnserved: RecordUnserved;
  readonly log: Logger;
}

/** The second lane: every route of the table outside `/api/`, and no other. */
export function createControlLane({ routes, gate, pages, log }: ControlLaneOptions): RequestListener {
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("strict routing").enable("case sensitive routing");
  for (const route of routes) {
    if (route.lane === "control") app.all(route.path, throughGate(route, gate));
    if (route.lane === "public") app.all(route.path, publicly(route), pages[route.id]);
  }
  app.use((_req, res) => refuse(res, new GatewayError("route_not_found", "There is nothing at this path.")));
  app.use(failing(log));
  return app;
}

function throughGate(route: ControlRoute, gate: Gate): RequestHandler {
  const destination = { group: { routes: [route] }, projectUuid: "" } as const;
  return (req, res) => gate.enter(req, res, { ...destination, requestId: requestIds.get(req) ?? "" });
}

function publicly(route: PublicRoute): RequestHandler {
  return (req, res, next) => {
    const call = { route, principal: undefined, projectUuid: "", method: req.method };
    const refusal = firstRefusal({ ...call, bodySizeBytes: 0, bodySizeBytesMax: 0, checkOrigin: () => undefined });
    if (refusal === undefined) next();
    else refuse(res, refusal, { allow: route.methods.join(", ") });
  };
}

/** Express tells error handlers by their four parameters. */
function failing(log: Logger): ErrorRequestHandler {
  // oxlint-disable-next-line max-params
  return (cause: unknown, req, res, _next) => {
    if (isBadPath(cause)) return refuse(res, new GatewayError("invalid_argument", "Request path is malformed."));
    log.error({ err: cause, requestId: requestIds.get(req) }, "A request failed unexpectedly.");
    return res.headersSent ? void res.destroy() : refuse(res, toGatewayError(cause));
  };
}

/** Express throws these at a path that cannot be decoded. */
function isBadPath(cause: unknown): boolean {
  return cause instanceof URIError || (cause instanceof Error && "status" in cause && cause.status === 400);
}
