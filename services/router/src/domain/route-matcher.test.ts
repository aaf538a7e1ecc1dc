import { reservedSlugs } from "@gatehouse/slugs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedMethods, chooseRoute, createDataMatcher } from "./route-matcher.ts";
import { assertRouteTable, type DataRoute, type Route, routes } from "./route-table.ts";

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";

const [chatDirect] = routes as readonly [DataRoute, ...Route[]];

function idsAt(target: string): readonly string[] | undefined {
  return createDataMatcher(routes)(target)?.group.routes.map(({ id }) => id);
}

describe("matching with today's routes", () => {
  it.each([
    [`/api/${uuid}/support`, ["chat_direct", "proxy"]],
    [`/api/${uuid}/support?stream=1`, ["chat_direct", "proxy"]],
    [`/api/${uuid}/chat/completions`, ["chat_dispatcher"]],
    [`/api/${uuid}/chat/completions?a=/b`, ["chat_dispatcher"]],
    [`/api/not-a-uuid/support`, ["chat_direct", "proxy"]],
    [`/api/${uuid}/Odd%20Slug!`, ["chat_direct", "proxy"]],
    [`/api/${uuid}/{slug}`, ["chat_direct", "proxy"]],
    [`/api/${uuid}/chat`, undefined],
    [`/api/${uuid}/mcp`, ["mcp_bridge", "mcp_gateway"]],
    [`/api/${uuid}/mcp/`, undefined],
    [`/api/${uuid}/v1`, undefined],
    [`/api/${uuid}/v1/chat/completions`, ["wrapper_chat"]],
    [`/api/${uuid}/v1/models`, ["wrapper_models"]],
    [`/api/${uuid}/v1/models?limit=1`, ["wrapper_models"]],
    [`/api/${uuid}/v1/embeddings`, ["wrapper_embeddings"]],
    [`/api/${uuid}/v1/files`, undefined],
    [`/api/${uuid}/v1/chat`, undefined],
    [`/api/${uuid}/v1/completions`, ["wrapper_completions"]],
    [`/api/${uuid}/v1/models/an-alias`, ["wrapper_model"]],
    [`/api/${uuid}/v1/models/an-alias?x=/y`, ["wrapper_model"]],
    [`/api/${uuid}/v1/models/{id}`, ["wrapper_model"]],
    [`/api/${uuid}/v1/models/`, undefined],
    [`/api/${uuid}/v1/models/..`, undefined],
    [`/api/${uuid}/v1/models/%2e%2E`, undefined],
    [`/api/${uuid}/v1/models/an-alias/more`, undefined],
    [`/api/${uuid}/v1/embeddings/x`, undefined],
    [`/api/${uuid}/support/more`, ["proxy_rest"]],
    [`/api/${uuid}/support/`, ["proxy_rest"]],
    [`/api/${uuid}/`, undefined],
    [`/api/${uuid}`, undefined],
    [`/api/?/support`, undefined],
    [`/api//support`, undefined],
    [`/api/`, undefined],
    [`/api/${uuid}?x=/support`, undefined],
    [`/api/${uuid}/..`, undefined],
    [`/api/${uuid}/%2E%2e`, undefined],
    [`/api/${uuid}/.%2e?x`, undefined],
  ])("%s", (target, ids) => {
    expect(idsAt(target)).toEqual(ids);
  });

  it("gives the project as it was sent", () => {
    expect(createDataMatcher(routes)(`/api/${uuid.toUpperCase()}/s?x`)?.projectUuid).toBe(uuid.toUpperCase());
  });

  it("never matches a reserved slug or a dot segment, for any target", () => {
    const match = createDataMatcher(routes);
    const segment = fc.oneof(fc.constantFrom(...reservedSlugs, ".", "..", "%2e", "", "s", "?", "#"), fc.string());
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
        const found = match(`/api/${segments.join("/")}`);
        if (found === undefined) return;
        const [path = ""] = `/api/${segments.join("/")}`.split("?");
        const rest = path.split("/").slice(3);
        expect(found.projectUuid).toBe(path.split("/")[2]);
        expect(found.projectUuid).not.toBe("");
        if (found.group.routes.some(({ path }) => path.includes("{slug}"))) {
          expect(reservedSlugs.has(rest[0] ?? "")).toBe(false);
          expect(rest.some((part) => /^(\.|%2e){1,2}$/i.test(part))).toBe(false);
        }
      }),
    );
  });
});

describe("rows for further kinds of project", () => {
  it("are safe to serve", () => {
    expect(() => assertRouteTable(routes)).not.toThrow();
  });

  it.each([
    [`/api/${uuid}/mcp/x`, undefined],
    [`/api/${uuid}/weather`, ["chat_direct", "proxy"]],
    [`/api/${uuid}/weather/v2/today?city=x`, ["proxy_rest"]],
    [`/api/${uuid}/weather/`, ["proxy_rest"]],
    [`/api/${uuid}/weather/../../x`, undefined],
    [`/api/${uuid}/chat/other`, undefined],
    [`/api/${uuid}//x`, undefined],
  ])("match %s", (target, ids) => {
    expect(idsAt(target)).toEqual(ids);
  });

  it("are chosen by the project's type, then by the method, and else by the first", () => {
    const group = createDataMatcher(routes)(`/api/${uuid}/weather`)?.group;
    if (group === undefined) throw new Error("There is such a group.");
    expect(chooseRoute(group, "api_gateway", "DELETE").id).toBe("proxy");
    expect(chooseRoute(group, "ai_gateway", "DELETE").id).toBe("chat_direct");
    expect(chooseRoute(group, "mcp_gateway", "POST").id).toBe("chat_direct");
    expect(allowedMethods(group, "ai_gateway")).toBe("POST");
  });

  it("choose the mode of the MCP route, and give all projects without it one answer", () => {
    const group = createDataMatcher(routes)(`/api/${uuid}/mcp`)?.group;
    if (group === undefined) throw new Error("There is such a group.");
    expect(chooseRoute(group, "ai_gateway", "POST").service).toBe("mcp-bridge");
    expect(chooseRoute(group, "mcp_gateway", "GET").service).toBe("mcp-aggregator");
    expect(allowedMethods(group, "mcp_gateway")).toBe("POST");
    expect(new Set(group.routes.map(({ wrongTypeMessage }) => wrongTypeMessage)).size).toBe(1);
  });

  it("share a path under several methods", () => {
    const get: DataRoute = { ...chatDirect, id: "read", methods: ["GET"] };
    const group = { routes: [chatDirect, get] } as const;
    expect(chooseRoute(group, "ai_gateway", "GET").id).toBe("read");
    expect(chooseRoute(group, "ai_gateway", "PUT").id).toBe("chat_direct");
    expect(allowedMethods(group, "ai_gateway")).toBe("POST, GET");
  });
});
