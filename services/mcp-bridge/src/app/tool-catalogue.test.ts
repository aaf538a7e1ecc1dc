import { GatewayError } from "@gatehouse/errors";
import type { McpTool } from "@gatehouse/mcp";
import { beforeEach, describe, expect, it } from "vitest";
import { MemoryToolStore } from "../../test/memory-tool-store.ts";
import { ToolCatalogue } from "./tool-catalogue.ts";

const dayMs = 86_400_000;
const tool = (name: string): McpTool => ({ name, description: "", inputSchema: { type: "object" } });
const away = new GatewayError("unavailable", "A service of the gateway is not available.");

let store: MemoryToolStore;
let nowMs: number;
let chat: readonly McpTool[] | GatewayError;
let failures: number;
let catalogue: ToolCatalogue;

beforeEach(() => {
  store = new MemoryToolStore();
  nowMs = dayMs;
  chat = [tool("a")];
  failures = 0;
  catalogue = new ToolCatalogue(
    async () => (Array.isArray(chat) ? await Promise.resolve(chat) : await Promise.reject(chat)),
    store,
    () => nowMs,
    () => (failures += 1),
  );
});

const names = async (projectUuid = "p") => (await catalogue.list(projectUuid)).map(({ name }) => name);

describe("while chat answers", () => {
  it("returns chat's list each time", async () => {
    expect(await names()).toEqual(["a"]);
    chat = [tool("a"), tool("b")];
    expect(await names()).toEqual(["a", "b"]);
  });

  it("stores a list once, and again when it changes or after a day", async () => {
    await names();
    await catalogue.settled();
    await names();
    await catalogue.settled();
    expect(store.saves).toEqual(["a"]);
    chat = [tool("b")];
    await names();
    await catalogue.settled();
    nowMs += dayMs;
    await names();
    await catalogue.settled();
    expect(store.saves).toEqual(["a", "b", "b"]);
  });

  it("stores the newest list, also after fast changes", async () => {
    await names();
    chat = [tool("b")];
    await names();
    chat = [tool("c")];
    await names();
    await catalogue.settled();
    expect(store.rows.get("p")?.tools).toEqual([tool("c")]);
  });

  it("stores a list with the time of its request, so that a late one replaces no newer one", async () => {
    const question = Promise.withResolvers<readonly McpTool[]>();
    const late = new ToolCatalogue(
      async () => await question.promise,
      store,
      () => nowMs,
      () => {},
    );
    const listed = late.list("p");
    nowMs += 1_000;
    chat = [tool("new")];
    await names();
    await catalogue.settled();
    nowMs += 1_000;
    question.resolve([tool("old")]);
    expect(await listed).toEqual([tool("old")]);
    await late.settled();
    expect(store.rows.get("p")?.tools).toEqual([tool("new")]);
  });

  it("returns a list when the store fails, reports it, and stores the next list", async () => {
    store.failing = true;
    expect(await names()).toEqual(["a"]);
    await catalogue.settled();
    expect(failures).toBe(1);
    store.failing = false;
    await names();
    await catalogue.settled();
    expect(store.saves).toEqual(["a"]);
  });
});

describe("while chat is away", () => {
  it.each(["unavailable", "deadline_exceeded"] as const)("returns the stored list: %s", async (code) => {
    store.rows.set("p", { tools: [tool("old")], listedAt: new Date(nowMs) });
    chat = new GatewayError(code, "away");
    expect(await names()).toEqual(["old"]);
  });

  it("returns the list that this process has seen when the store is away too", async () => {
    await names();
    await catalogue.settled();
    store.failing = true;
    chat = away;
    expect(await names()).toEqual(["a"]);
  });

  it("fails when no list is known, since an empty list would mean no tools", async () => {
    chat = away;
    await expect(names("never-listed")).rejects.toBe(away);
  });
});

it("passes on errors other than outages, such as a cancellation", async () => {
  store.rows.set("p", { tools: [tool("old")], listedAt: new Date(nowMs) });
  chat = new GatewayError("cancelled", "gone");
  await expect(names()).rejects.toMatchObject({ code: "cancelled" });
});

describe("lists that come together", () => {
  it("share a later request, one at a time", async () => {
    const questions: PromiseWithResolvers<readonly McpTool[]>[] = [];
    const shared = new ToolCatalogue(
      async () => {
        const question = Promise.withResolvers<readonly McpTool[]>();
        questions.push(question);
        return await question.promise;
      },
      store,
      () => nowMs,
      () => {},
    );
    const first = shared.list("p");
    const others = Array.from({ length: 100 }, async () => await shared.list("p"));
    expect(questions.length).toBe(1);
    questions[0]?.resolve([tool("old")]);
    expect(await first).toEqual([tool("old")]);
    await Promise.resolve();
    expect(questions.length).toBe(2);
    questions[1]?.resolve([tool("new")]);
    expect(new Set((await Promise.all(others)).flat().map(({ name }) => name))).toEqual(new Set(["new"]));
    const later = shared.list("p");
    expect(questions.length).toBe(3);
    questions[2]?.reject(new GatewayError("internal", "no"));
    await expect(later).rejects.toThrow("no");
    void shared.list("p");
    expect(questions.length).toBe(4);
  });
});
