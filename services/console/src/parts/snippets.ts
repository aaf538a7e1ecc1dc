import type { Endpoint, Project, ProjectType, Token } from "../api/types.ts";
import { variablesOf } from "./prompt-variables.ts";

/** Example code for one kind of client, such as curl or an SDK, under its name. */
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

/** The endpoint of an example call. */
export type CalledEndpoint = Pick<Endpoint, "slug" | "system_prompt">;

/** Context of example calls. */
interface FirstUse {
  /** A placeholder if absent. */
  readonly endpoint?: CalledEndpoint | undefined;
  /** Scopes of the token; all if absent. */
  readonly scopes?: Token["scopes"];
  /** False if the token reaches no endpoint that is offered as an MCP tool. */
  readonly hasMcpTool?: boolean;
  /** Uuid of the session that a call to an AI Gateway begins; absent: none. */
  readonly sessionId?: string | undefined;
}

/** Example calls with a token, for the kinds of client of the project's type; a note for those that the scopes do not allow. */
export function snippetsFor(
  project: Place,
  token: string,
  { endpoint, scopes, hasMcpTool: hasTool = true, sessionId }: FirstUse = {},
): readonly Snippet[] {
  const base = baseUrlOf(project);
  const slug = endpoint?.slug ?? "<endpoint>";
  const variables = variablesFor(endpoint);
  const session = sessionId === undefined ? {} : { session_id: sessionId };
  const messages = [{ role: "user", content: "Hello!" }];
  const may = (scope: Token["scopes"][number], snippet: Snippet): Snippet =>
    scopes === undefined || scopes.includes(scope) ? snippet : { title: snippet.title, text: "", note: lacks(scope) };
  const snippets: Readonly<Record<ProjectType, () => readonly Snippet[]>> = {
    ai_gateway: () => [
      may("chat", curl(`${base}/${slug}`, token, { message: "Hello!", ...variables, ...session })),
      may("mcp", { ...mcpClient(`${base}/mcp`, token), ...(!hasTool && { note: noMcpTool }) }),
      noAnthropicHere,
    ],
    ai_wrapper: () => [
      may("chat", curl(`${base}/chat/completions`, token, { model: slug, messages, ...variables })),
      may("chat", openAiPython(base, token, { slug, variables })),
      may("chat", openAiNode(base, token, { slug, variables })),
      noAnthropic,
    ],
    api_gateway: () => [
      may("proxy", { title: "curl", text: `curl -s ${base}/${slug}/ \\\n  -H 'Authorization: Bearer ${token}'` }),
      may("proxy", anthropicPython(`${base}/${slug}`, token)),
      may("proxy", anthropicNode(`${base}/${slug}`, token)),
    ],
    mcp_gateway: () => [
      may("mcp", mcpClient(base, token)),
      may("mcp", curl(base, token, { jsonrpc: "2.0", id: 1, method: "tools/list" })),
    ],
  };
  return snippets[project.project_type]();
}

/** The first active endpoint that the token may reach. */
export function firstEndpointOf(
  endpoints: readonly (CalledEndpoint & Pick<Endpoint, "is_active">)[],
  reachable: readonly string[] | null = null,
): CalledEndpoint | undefined {
  const reached = endpoints.filter(({ slug }) => reachable === null || reachable.includes(slug));
  const [named] = reachable ?? [];
  return (
    reached.find(({ is_active }) => is_active) ?? reached[0] ?? (named === undefined ? undefined : { slug: named })
  );
}

/** Whether the token can call an endpoint as an MCP tool. */
export function hasMcpTool(
  endpoints: readonly Pick<Endpoint, "slug" | "is_active" | "expose_as_mcp_tool">[],
  reachable: readonly string[] | null = null,
): boolean {
  return endpoints.some(
    ({ slug, is_active, expose_as_mcp_tool }) =>
      is_active && expose_as_mcp_tool && (reachable === null || reachable.includes(slug)),
  );
}

const noMcpTool =
  "The token reaches no endpoint that is an MCP tool yet, so MCP clients will list none: switch on Offer as MCP tool under Edit at an endpoint.";

/** A placeholder for each variable of the endpoint's prompt: a call without one is refused. */
function variablesFor(endpoint: CalledEndpoint | undefined): { readonly variables?: Readonly<Record<string, string>> } {
  const names = endpoint === undefined ? [] : variablesOf(endpoint);
  return names.length === 0 ? {} : { variables: Object.fromEntries(names.map((name) => [name, `<${name}>`])) };
}

function lacks(scope: string): string {
  return `This token may not make such calls: it lacks the scope ${scope}. Add it under Edit.`;
}

/** Placeholder of the token in shell commands. */
export const tokenVariable = "$TOKEN";

/** An example call with curl, whose token is a shell variable; undefined for a type without one. */
export function firstCurlFor(project: Place, endpoint?: CalledEndpoint, sessionId?: string): string | undefined {
  const found = snippetsFor(project, tokenVariable, { endpoint, sessionId }).find(({ title }) => title === "curl");
  // Double quotes, so that the shell expands the variable.
  return found?.text.replace(`'Authorization: Bearer ${tokenVariable}'`, `"Authorization: Bearer ${tokenVariable}"`);
}

function curl(url: string, token: string, body: Readonly<Record<string, unknown>>): Snippet {
  const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`;
  return { title: "curl", text: `curl -s ${url} \\\n  ${headers} \\\n  -d '${spaced(body)}'` };
}

/** JSON on one line, with spaces after colons and commas. */
function spaced(body: unknown): string {
  return JSON.stringify(body, null, 1)
    .replaceAll(/\n\s*/g, " ")
    .replaceAll(/([[{]) | ([\]}])/g, "$1$2");
}

interface Called {
  readonly slug: string;
  readonly variables: ReturnType<typeof variablesFor>;
}

function mcpClient(url: string, token: string): Snippet {
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  return { title: "MCP client", text: JSON.stringify({ mcpServers: { gatehouse: server } }, null, 2) };
}

function openAiPython(base: string, token: string, { slug, variables }: Called): Snippet {
  const more = variables.variables === undefined ? "" : `\n    extra_body=${spaced(variables)},`;
  const text = `from openai import OpenAI

client = OpenAI(base_url="${base}", api_key="${token}")
reply = client.chat.completions.create(
    model="${slug}",
    messages=[{"role": "user", "content": "Hello!"}],${more}
)
print(reply.choices[0].message.content)`;
  return { title: "OpenAI SDK, Python", text };
}

function openAiNode(base: string, token: string, { slug, variables }: Called): Snippet {
  const more = variables.variables === undefined ? "" : `\n  variables: ${spaced(variables.variables)},`;
  const text = `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: "${token}" });
const reply = await client.chat.completions.create({
  model: "${slug}",
  messages: [{ role: "user", content: "Hello!" }],${more}
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
