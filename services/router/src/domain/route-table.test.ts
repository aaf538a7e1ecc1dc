import { describe, expect, it } from "vitest";
import { assertRouteTable, describeRoute, publicRouteIds, type Route, routes } from "./route-table.ts";

const [chatDirect] = routes;

function withRoute(route: unknown): readonly Route[] {
  return [...routes, route as Route];
}

describe("the route table", () => {
  it("is safe to serve", () => {
    expect(() => assertRouteTable(routes)).not.toThrow();
  });

  it("admits only the public list without a credential", () => {
    const asking = new Set<string>(["token", "admin_key", "administrator", "session", "sign_in"]);
    const open = routes.filter(({ guards }) => !guards.some((name) => asking.has(name)));
    expect(open.map(({ id }) => id)).toEqual([...publicRouteIds]);
  });

  it("prints one line a route, with its guards in order", () => {
    expect(routes.map(describeRoute)[0]).toBe(
      "chat_direct: POST /api/{uuid}/{slug} [token > network > project > scope > project_type > method > body_size] scope=chat types=ai_gateway -> chat",
    );
  });
});

describe("a table that is refused", () => {
  it.each<[string, readonly Route[], string]>([
    ["an empty table", [], "has no route"],
    ["a data route without guards", withRoute({ ...chatDirect, id: "x", guards: [] }), "x must be guarded by token"],
    [
      "guards in another order",
      withRoute({
        ...chatDirect,
        id: "x",
        guards: ["token", "scope", "project", "project_type", "method", "body_size"],
      }),
      "in this order",
    ],
    [
      "a control route without authentication",
      withRoute({ plane: "control", id: "x", path: "/x", methods: ["GET"], guards: ["method"], service: "chat" }),
      "x must be guarded by one of admin_key, session, administrator, sign_in first",
    ],
    [
      "a public route outside the list",
      withRoute({ plane: "public", id: "x", path: "/x", methods: ["GET"], guards: [] }),
      "x has no authentication and is not in the public list",
    ],
    [
      "a public route under /api/",
      [{ plane: "public", id: "healthz", path: "/api/h", methods: ["GET"], guards: [] }],
      "lies under /api/",
    ],
    [
      "a literal that would hide a slug",
      withRoute({ ...chatDirect, id: "x", path: "/api/{uuid}/audio/speech" }),
      "would hide an endpoint",
    ],
    [
      "a pattern the matcher does not know",
      withRoute({ ...chatDirect, id: "x", path: "/api/{uuid}/v1/{model}" }),
      "does not know",
    ],
    ["a duplicate id", withRoute(chatDirect), "chat_direct is listed twice"],
  ])("%s", (_name, table, fault) => {
    expect(() => assertRouteTable(table)).toThrow(fault);
  });
});
