import { expect, test } from "vitest";
import type { Endpoint, Project } from "../../api/types.ts";
import { variablesOf } from "../../parts/prompt-variables.ts";
import { callSnippets } from "./call-code.ts";
import { toChatCall } from "./chat-body.ts";

const project = (project_type: string) => ({ uuid: "p", project_type }) as Project;
const endpoint = {
  slug: "help",
  streaming_enabled: true,
  system_prompt: "Hi {{ name }}, {{name}} of {{team.a}}",
} as unknown as Endpoint;
const turns = [
  { role: "user", content: "a" },
  { role: "assistant", content: "b" },
  { role: "user", content: "c" },
] as const;
const plain = { turns, variables: {}, sessionId: undefined, tools: undefined };

test("a gateway endpoint gets the whole conversation, or its last turn in a session", () => {
  expect(toChatCall(project("ai_gateway"), endpoint, plain)).toEqual({
    path: "/api/p/help",
    headers: {},
    body: { messages: turns, stream: true },
  });
  const inSession = { ...plain, sessionId: "s", variables: { name: "Ann" } };
  expect(toChatCall(project("ai_gateway"), endpoint, inSession).body).toEqual({
    message: "c",
    session_id: "s",
    stream: true,
    variables: { name: "Ann" },
  });
});

test("a conversation's only turn is sent as a message, unless the endpoint's input schema requires messages", () => {
  const [first] = turns;
  const bodyOf = (required: readonly string[]) =>
    toChatCall(
      project("ai_gateway"),
      { ...endpoint, input_schema: { required } },
      {
        ...plain,
        turns: [first],
      },
    ).body;
  expect(bodyOf(["message"])).toEqual({ message: "a", stream: true });
  expect(bodyOf([])).toEqual({ message: "a", stream: true });
  expect(bodyOf(["messages"])).toEqual({ messages: [first], stream: true });
});

test("a wrapper endpoint is named as the model, and gets tools", () => {
  expect(toChatCall(project("ai_wrapper"), endpoint, { ...plain, tools: [{ type: "function" }] })).toEqual({
    path: "/api/p/v1/chat/completions",
    headers: {},
    body: { model: "help", messages: turns, stream: true, tools: [{ type: "function" }] },
  });
});

test("a selected target is in a header, and in the code samples", () => {
  const call = toChatCall(project("ai_wrapper"), endpoint, { ...plain, target: 2 });
  expect(call.headers).toEqual({ "X-Gatehouse-Target": "2" });
  const snippets = callSnippets(call, "https://gate.example");
  expect(snippets.map(({ title }) => title)).toEqual(["curl", "OpenAI SDK", "AI SDK"]);
  expect(snippets.map(({ text }) => /X-Gatehouse-Target['"]?: ?"?2/.test(text))).toEqual([true, true, true]);
  const [, direct] = callSnippets(toChatCall(project("ai_gateway"), endpoint, { ...plain, target: 2 }), "https://g");
  expect(direct?.text).toContain(`"content-type": "application/json", "X-Gatehouse-Target": "2" }`);
});

test("variables of the prompt are listed once each", () => {
  expect(variablesOf(endpoint)).toEqual(["name", "team.a"]);
  expect(variablesOf({})).toEqual([]);
});
