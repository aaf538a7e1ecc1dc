import type { RequestListener } from "node:http";
import { invalidArgument, nothingAtPath, toGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import { firstRefusal } from "../domain/guards.ts";
import type { RouteGroup } from "../domain/route-matcher.ts";
import type { ControlRoute, PublicRoute, PublicRouteId, Route } from "../domain/route-table.ts";
import { requestIds } from "./listener.ts";
import type { Reject } from "./reject.ts";
import type { RequestDispatcher } from "./request-dispatcher.ts";

interface ControlPlaneListenerOptions {
  readonly routes: readonly Route[];
  readonly dispatcher: RequestDispatcher;
  readonly pages: Readonly<Record<PublicRouteId, RequestHandler>>;
  /** Existence checks of pages that only some paths of their route have; elsewhere the answer is 404 for any method. */
  readonly isThere: Readonly<Partial<Record<PublicRouteId, (req: Request) => boolean>>>;
  readonly reject: Reject;
  readonly log: Logger;
}

/** Serves the routes of the table outside `/api/`, and answers 404 to all other paths. */
export function createControlPlaneListener(options: ControlPlaneListenerOptions): RequestListener {
  const { routes, dispatcher, pages, isThere, reject, log } = options;
  const app = express();
  app.disable("x-powered-by").disable("etag").enable("strict routing").enable("case sensitive routing");
  for (const group of groupByPath(routes)) app.all(group.routes[0].path, throughDispatcher(group, dispatcher));
  for (const route of routes) {
    if (route.plane !== "public") continue;
    app.all(route.path, whereThere(isThere[route.id]), publicly(route, reject), pages[route.id]);
  }
  app.use((req, res) => {
    reject(req, res, { error: nothingAtPath() });
  });
  app.use(failing(reject, log));
  return app;
}

function groupByPath(routes: readonly Route[]): readonly RouteGroup<ControlRoute>[] {
  const groups = new Map<string, RouteGroup<ControlRoute>>();
  for (const route of routes) {
    if (route.plane !== "control") continue;
    const before = groups.get(route.path)?.routes;
    groups.set(route.path, { routes: before === undefined ? [route] : [...before, route] });
  }
  return [...groups.values()];
}

function throughDispatcher(group: RouteGroup<ControlRoute>, dispatcher: RequestDispatcher): RequestHandler {
  const destination = { group, projectUuid: "" } as const;
  return (req, res) => dispatcher.dispatch(req, res, { ...destination, requestId: requestIds.get(req) ?? "" });
}

function whereThere(isThere: ((req: Request) => boolean) | undefined): RequestHandler {
  return (req, _res, next) => {
    if (isThere === undefined || isThere(req)) next();
    else next("route");
  };
}

function publicly(route: PublicRoute, reject: Reject): RequestHandler {
  return (req, res, next) => {
    const call = { route, principal: undefined, ipAddress: "", projectUuid: "", method: req.method };
    const page = { checkOrigin: () => undefined, origin: undefined, csrfToken: undefined };
    const error = firstRefusal({ ...call, ...page, bodySizeBytes: 0, bodySizeBytesMax: 0 });
    if (error === undefined) next();
    else reject(req, res, { error, routeId: route.id, headers: { allow: route.methods.join(", ") } });
  };
}

/** Express recognises error handlers by their four parameters. */
function failing(reject: Reject, log: Logger): ErrorRequestHandler {
  // oxlint-disable-next-line max-params
  return (cause: unknown, req, res, _next) => {
    if (isBadPath(cause)) {
      reject(req, res, { error: invalidArgument("Request path is malformed.") });
      return;
    }
    log.error({ err: cause, request_id: requestIds.get(req) }, "A request failed unexpectedly.");
    if (res.headersSent) res.destroy();
    else reject(req, res, { error: toGatewayError(cause) });
  };
}

/** Express throws these for a path that cannot be decoded. */
function isBadPath(cause: unknown): boolean {
  return cause instanceof URIError || (cause instanceof Error && "status" in cause && cause.status === 400);
}
