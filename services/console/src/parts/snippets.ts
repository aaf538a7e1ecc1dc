import type { Project, ProjectType } from "../api/types.ts";

export interface Snippet {
  readonly title: string;
  /** Empty where the note replaces a snippet. */
  readonly text: string;
  /** Shown above it. */
  readonly note?: string;
}

type Place = Pick<Project, "uuid" | "project_type">;

/** Base URL of a project's clients. */
export function baseUrlOf({ uuid, project_type }: Place): string {
  const base = `${globalThis.location.origin}/api/${uuid}`;
  if (project_type === "ai_wrapper") return `${base}/v1`;
  return project_type === "mcp_gateway" ? `${base}/mcp` : base;
}

/** Example calls with a token, for the kinds of client of the project's type. */
export function snippetsFor(project: Place, token: string, slug = "<endpoint>"): readonly Snippet[] {
  const base = baseUrlOf(project);
  const chat = `{"model": "${slug}", "messages": [{"role": "user", "content": "Hello!"}]}`;
  const snippets: Readonly<Record<ProjectType, () => readonly Snippet[]>> = {
    ai_gateway: () => [
      curl(`${base}/${slug}`, token, `{"message": "Hello!"}`),
      mcpClient(`${base}/mcp`, token),
      noAnthropicHere,
    ],
    ai_wrapper: () => [
      curl(`${base}/chat/completions`, token, chat),
      openAiPython(base, token, slug),
      openAiNode(base, token, slug),
      noAnthropic,
    ],
    api_gateway: () => [
      { title: "curl", text: `curl -s ${base}/${slug}/ \\\n  -H 'Authorization: Bearer ${token}'` },
      anthropicPython(`${base}/${slug}`, token),
      anthropicNode(`${base}/${slug}`, token),
    ],
    mcp_gateway: () => [
      mcpClient(base, token),
      curl(base, token, `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`),
    ],
  };
  return snippets[project.project_type]();
}

/** Placeholder of the token in shell commands. */
export const tokenVariable = "$TOKEN";

/** An example call with curl, whose token is a shell variable; undefined for a type without one. */
export function firstCurlFor(project: Place, slug?: string): string | undefined {
  const found = snippetsFor(project, tokenVariable, slug).find(({ title }) => title === "curl");
  // Double quotes, so that the shell expands the variable.
  return found?.text.replace(`'Authorization: Bearer ${tokenVariable}'`, `"Authorization: Bearer ${tokenVariable}"`);
}

function curl(url: string, token: string, body: string): Snippet {
  const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  return { title: "curl", text: `curl -s ${url} \\\n  ${headers} \\\n  -d '${body}'` };
}

function mcpClient(url: string, token: string): Snippet {
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  return { title: "MCP client", text: JSON.stringify({ mcpServers: { gatehouse: server } }, null, 2) };
}

function openAiPython(base: string, token: string, slug: string): Snippet {
  const text = `from openai import OpenAI

client = OpenAI(base_url="${base}", api_key="${token}")
reply = client.chat.completions.create(
    model="${slug}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(reply.choices[0].message.content)`;
  return { title: "OpenAI SDK, Python", text };
}

function openAiNode(base: string, token: string, slug: string): Snippet {
  const text = `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: "${token}" });
const reply = await client.chat.completions.create({
  model: "${slug}",
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(reply.choices[0].message.content);`;
  return { title: "OpenAI SDK, Node", text };
}

/** AI projects do not speak Anthropic's dialect; an API Gateway passes such calls through. */
const throughApiGateway =
  "create an API Gateway project with an endpoint for https://api.anthropic.com, whose tokens come with the lines for the Anthropic SDK.";

const noAnthropicHere: Snippet = {
  title: "Anthropic SDK",
  text: "",
  note: `The Anthropic SDK cannot call the endpoints of this project, whose requests have another form. Call them over HTTP as the curl line does; or ${throughApiGateway}`,
};

const noAnthropic: Snippet = {
  title: "Anthropic SDK",
  text: "",
  note: `This project speaks OpenAI's dialect, which the Anthropic SDK does not. Use an OpenAI SDK here; or ${throughApiGateway}`,
};

const anthropicNote =
  "For an endpoint whose upstream URL is https://api.anthropic.com, with the method POST and your Anthropic key as its auth header X-Api-Key. It passes calls on as they are.";

function anthropicPython(base: string, token: string): Snippet {
  const text = `from anthropic import Anthropic

client = Anthropic(base_url="${base}", auth_token="${token}")
reply = client.messages.create(
    model="<model>",
    max_tokens=1000,
    messages=[{"role": "user", "content": "Hello!"}],
)
print(reply.content[0].text)`;
  return { title: "Anthropic SDK, Python", text, note: anthropicNote };
}

function anthropicNode(base: string, token: string): Snippet {
  const text = `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${base}", authToken: "${token}" });
const reply = await client.messages.create({
  model: "<model>",
  max_tokens: 1000,
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(reply.content[0].text);`;
  return { title: "Anthropic SDK, Node", text, note: anthropicNote };
}
