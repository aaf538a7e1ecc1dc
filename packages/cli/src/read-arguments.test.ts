import type { JsonObject } from "@gatehouse/json";
import { expect, test } from "vitest";
import type { OperationCommand } from "./command.ts";
import { commands } from "./commands.ts";
import type { ControlPlane } from "./control-plane.ts";
import { readArguments } from "./read-arguments.ts";

const uuid = "7b1f0e9c-0d3a-4a52-9f05-6f7a4e9d8c11";

const control: ControlPlane = {
  listOperations: async () => await Promise.resolve([]),
  async call(operation, args): Promise<JsonObject> {
    if (operation === "svc_list_projects") {
      const first = { projects: [{ name: "Twice", uuid: "a" }], next_cursor: "next" };
      const second = {
        projects: [
          { name: "Support", uuid },
          { name: "Twice", uuid: "b" },
        ],
        next_cursor: null,
      };
      return await Promise.resolve(args["cursor"] === "next" ? second : first);
    }
    return await Promise.resolve({ endpoints: [{ slug: "demo", uuid: "e-1" }], next_cursor: null });
  },
};

async function* nothing(): AsyncGenerator<string> {}

const sources = { control, env: { KEY: "sk-1" }, stdin: nothing() };

const find = (path: string): OperationCommand => {
  const command = commands.find((candidate) => candidate.path.join(" ") === path);
  if (command === undefined) throw new Error(`no command ${path}`);
  return command;
};

const read = async (path: string, words: readonly string[], options: JsonObject = {}) =>
  await readArguments(find(path), { words, options }, sources);

test("a project is named by uuid or by name, over all pages", async () => {
  expect(await read("project get", [uuid])).toEqual({ project: uuid });
  expect(await read("project get", ["Support"])).toEqual({ project: uuid });
});

test.each(["project get", "project delete", "token create", "issuer list"])(
  "%s refuses a name that two projects have, and lists their uuids",
  async (command) => {
    const refusal = read(command, ["Twice", "app"], { scope: ["chat"] });
    await expect(refusal).rejects.toThrow(/More than one project is named Twice: use a uuid\.\n {2}a .*\n {2}b /);
  },
);

test("an admin key is for projects named by uuid or by name", async () => {
  const options = { role: "viewer", project: ["Support", uuid] };
  expect(await read("admin-key create", ["alice"], options)).toEqual({
    name: "alice",
    role: "viewer",
    projects: [uuid, uuid],
  });
  const refusal = read("admin-key create", ["alice"], { role: "viewer", project: ["Twice"] });
  await expect(refusal).rejects.toThrow("More than one project");
});

test("an endpoint is named by project and slug", async () => {
  expect(await read("endpoint get", ["Support/demo"])).toEqual({ endpoint: "e-1" });
  expect(await read("guardrails get", ["Support"])).toEqual({ project: uuid });
  expect(await read("guardrails get", ["Support/demo"])).toEqual({ endpoint: "e-1" });
});

test("retries apply to each target", async () => {
  const options = { target: ["openai/gpt-5-mini", "mock/a"], retries: "2" };
  expect(await read("endpoint create", ["Support", "chat-1"], options)).toMatchObject({
    targets: [
      { provider: "openai", model: "gpt-5-mini", retries: 2 },
      { provider: "mock", model: "a", retries: 2 },
    ],
  });
  await expect(read("endpoint update", ["Support/demo"], { retries: "2" })).rejects.toThrow("goes with --target");
});

test("a token's expiry is a timestamp or never", async () => {
  expect(await read("token update", ["4"], { expiresAt: "never" })).toEqual({ token_id: 4, expires_at: null });
});

test("options become arguments of the right type", async () => {
  const options = {
    target: ["openai/gpt-5-mini", "mock/a/b"],
    streaming: true,
    monthlyBudgetUsd: "10.5",
    parameters: "{temperature: 0}",
  };
  expect(await read("endpoint create", ["Support", "chat-1"], options)).toEqual({
    project: uuid,
    slug: "chat-1",
    targets: [
      { provider: "openai", model: "gpt-5-mini" },
      { provider: "mock", model: "a/b" },
    ],
    streaming_enabled: true,
    monthly_budget_usd: 10.5,
    parameters: { temperature: 0 },
  });
  expect(await read("project update", ["Support"], { rateLimitPerMinute: "unlimited" })).toEqual({
    project: uuid,
    rate_limit_per_minute: null,
  });
  expect(await read("provider disable", ["openai"])).toEqual({ provider: "openai", enabled: false });
});

test("a secret is read from where the option says, never from the command line", async () => {
  expect(await read("credential create", ["openai", "main"], { apiKeyFrom: "env:KEY" })).toMatchObject({
    api_key: "sk-1",
  });
  await expect(read("credential create", ["openai", "main"], { apiKeyFrom: "sk-plain" })).rejects.toThrow(
    "not a source of a secret",
  );
  await expect(read("credential create", ["openai", "main"], { apiKeyFrom: "env:NONE" })).rejects.toThrow(
    "The environment has no variable that --api-key-from names.",
  );
});

test.each([
  ["an endpoint of two projects", { command: "endpoint get", words: ["Twice/demo"], options: {} }, "use a uuid"],
  ["a name that no project has", { command: "project get", words: ["Nobody"], options: {} }, "no project named Nobody"],
  ["an endpoint without a project", { command: "endpoint get", words: ["demo"], options: {} }, "project/slug"],
  [
    "a slug that no endpoint has",
    { command: "endpoint get", words: ["Support/other"], options: {} },
    "no endpoint other",
  ],
  [
    "an id that is no number",
    { command: "token revoke", words: ["abc"], options: {} },
    "token-id must be a whole number",
  ],
  [
    "a target without a model",
    { command: "endpoint create", words: ["Support", "a"], options: { target: ["openai"] } },
    "provider/model",
  ],
  [
    "JSON that is none",
    { command: "endpoint create", words: ["Support", "a"], options: { parameters: "{" } },
    "neither JSON nor YAML",
  ],
  [
    "several YAML documents",
    { command: "endpoint create", words: ["Support", "a"], options: { parameters: "{}\n---\n{}" } },
    "neither JSON nor YAML of one document",
  ],
])("%s is refused with a way out", async (_what, { command, words, options }, message) => {
  await expect(read(command, words, options)).rejects.toThrow(message);
});

test.each(["1.0", "2e0", "0x2", "+2", "00002", " 2", "2 ", "9007199254740993", "Infinity", ""])(
  "an id is what a list shows, and not another notation of its number: %j",
  async (id) => {
    const refusal = { message: `token-id must be a whole number, written as 12 is; not ${id}.`, exitCode: 2 };
    await expect(read("token revoke", [id])).rejects.toMatchObject(refusal);
  },
);

test.each([
  ["project create", ["A"], { type: "ai_gatway" }, "type must be one of ai_gateway, mcp_gateway, "],
  ["provider create", ["a"], { kind: "opnai" }, "kind must be one of openai, "],
  ["admin-key create", ["a"], { role: "admin" }, "role must be one of owner, editor, viewer; not admin."],
  [
    "token create",
    ["Support", "a"],
    { scope: ["chat", "fly"] },
    "scope must be one of chat, mcp, models, proxy; not fly.",
  ],
  ["guardrails add-feedback", ["Support", "odd"], {}, "kind must be one of false_alarm, missed; not odd."],
])("%s %j refuses a value that is not among the operation's: %j", async (command, words, options, message) => {
  await expect(read(command, words, options)).rejects.toMatchObject({
    message: expect.stringContaining(message) as unknown,
    exitCode: 2,
  });
});

test("every command has a unique path", () => {
  const paths = commands.map(({ path }) => path.join(" "));
  expect(new Set(paths).size).toBe(paths.length);
});

test("a list is given by repeating an option, and removed by `all`", async () => {
  expect(await read("token update", ["7"], { endpoint: ["a", "b"], tool: ["all"] })).toEqual({
    token_id: 7,
    endpoints: ["a", "b"],
    tools: null,
  });
});

test("a flag is switched off by its --no- form, and --unset removes optional settings", async () => {
  expect(await read("endpoint update", ["Support/demo"], { streaming: false })).toEqual({
    endpoint: "e-1",
    streaming_enabled: false,
  });
  expect(await read("endpoint update", ["Support/demo"], { unset: ["monthly-budget-usd", "input-schema"] })).toEqual({
    endpoint: "e-1",
    monthly_budget_usd: null,
    input_schema: null,
  });
  await expect(read("endpoint update", ["Support/demo"], { unset: ["slug"] })).rejects.toThrow("--unset takes one of ");
});

test("settings of an upstream are options", async () => {
  const options = { callTimeoutMs: "5000", allowedTool: ["search_*"], passMetadata: false };
  expect(await read("upstream update", ["3"], options)).toEqual({
    upstream_id: 3,
    call_timeout_ms: 5_000,
    allowed_tools: ["search_*"],
    pass_metadata: false,
  });
});

test.each([
  ["token create", ["Support", "a"], { scope: ["chat"], network: ["all", "10.0.0.0/8"] }, "--network all excludes"],
  ["token create", ["Support", "a"], { scope: ["chat"], network: ["10.0.0.0/8", "all"] }, "--network all excludes"],
  ["token create", ["Support", "a"], { scope: ["chat"], endpoint: ["demo", "all"] }, "--endpoint all excludes"],
  ["admin-key create", ["a"], { role: "viewer", project: ["all", "Support"] }, "--project all excludes"],
  ["token update", ["3"], { unset: ["endpoint"], endpoint: ["demo"] }, "--unset endpoint excludes --endpoint"],
  [
    "project update",
    ["Support"],
    { unset: ["rate-limit-per-minute"], rateLimitPerMinute: "5" },
    "--unset rate-limit-per-minute excludes --rate-limit-per-minute",
  ],
])("%s %j refuses options that contradict each other: %j", async (command, words, options, message) => {
  await expect(read(command, words, options)).rejects.toMatchObject({
    message: expect.stringContaining(message) as unknown,
    exitCode: 2,
  });
});
