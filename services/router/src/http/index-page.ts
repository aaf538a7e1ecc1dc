import { sendJson } from "@gatehouse/http";
import type { RequestHandler } from "express";
import type { Route } from "../domain/route-table.ts";

/** Handler of `/`: the product's name and its routes (id, methods, path) as JSON, without authentication. */
export function createIndexPage(serviceName: string, routes: readonly Route[]): RequestHandler {
  const body = {
    ok: true,
    service: serviceName,
    description: "An AI gateway. Send a token of a project as `Authorization: Bearer <token>`.",
    routes: routes.map(({ methods, path, id }) => ({ id, methods, path })),
  };
  return (_req, res) => sendJson(res, { status: 200, body });
}
