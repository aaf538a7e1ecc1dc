import { GatewayError } from "@gatehouse/errors";
import type { McpTool } from "@gatehouse/mcp";
import { beforeEach, describe, expect, it } from "vitest";
import { MemoryToolStore } from "../../test/memory-tool-store.ts";
import { ToolCatalogue } from "./tool-catalogue.ts";

const dayMs = 86_400_000;
const tool = (name: string): McpTool => ({ name, description: "", inputSchema: { type: "object" } });
const away = new GatewayError("unavailable", "A service is not available.");

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
  it("lists what chat says, each time", async () => {
    expect(await names()).toEqual(["a"]);
    chat = [tool("a"), tool("b")];
    expect(await names()).toEqual(["a", "b"]);
  });

  it("keeps a list once, and again when it changes or a day has passed", async () => {
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

  it("ends with the newest list in the store, however fast lists change", async () => {
    await names();
    chat = [tool("b")];
    await names();
    chat = [tool("c")];
    await names();
    await catalogue.settled();
    expect(store.rows.get("p")?.tools).toEqual([tool("c")]);
  });

  it("keeps a list as of the time of its question, so that one that came late replaces no newer one", async () => {
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

  it("lists although the store fails, reports it, and stores the next list", async () => {
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
  it.each(["unavailable", "deadline_exceeded"] as const)("lists what is known of old: %s", async (code) => {
    store.rows.set("p", { tools: [tool("old")], listedAt: new Date(nowMs) });
    chat = new GatewayError(code, "away");
    expect(await names()).toEqual(["old"]);
  });

  it("lists what this process has seen when the store is away too", async () => {
    await names();
    await catalogue.settled();
    store.failing = true;
    chat = away;
    expect(await names()).toEqual(["a"]);
  });

  it("fails where nothing is known: an empty list would mean that there are no tools", async () => {
    chat = away;
    await expect(names("never-listed")).rejects.toBe(away);
  });
});

it("passes on errors other than outages, such as a client that left", async () => {
  store.rows.set("p", { tools: [tool("old")], listedAt: new Date(nowMs) });
  chat = new GatewayError("cancelled", "gone");
  await expect(names()).rejects.toMatchObject({ code: "cancelled" });
});

describe("lists that come together", () => {
  it("share a question that begins after all of them, one at a time", async () => {
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
