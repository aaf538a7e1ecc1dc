import type { Snippet } from "../../parts/snippets.ts";
import type { ChatCall } from "./chat-body.ts";

/** A call as code for clients; SDKs only where the path is theirs. */
export function callSnippets({ path, headers: own, body }: ChatCall, origin: string): readonly Snippet[] {
  const json = JSON.stringify(body, null, 2);
  const url = `${origin}${path}`;
  const quoted = json.replaceAll("'", String.raw`'\''`);
  const more = Object.entries(own).map(([name, value]) => ` -H '${name}: ${value}'`);
  const headers = `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'${more.join("")}`;
  const curl = { title: "curl", text: `curl -sN ${url} \\\n  ${headers} \\\n  -d '${quoted}'` };
  const suffix = "/chat/completions";
  if (!path.endsWith(suffix)) return [curl, { title: "fetch", text: toFetch(url, json, own) }];
  const base = url.slice(0, -suffix.length);
  return [
    curl,
    { title: "OpenAI SDK", text: toOpenAi(base, json, own) },
    { title: "AI SDK", text: toAiSdk(base, body, own) },
  ];
}

function toFetch(url: string, json: string, own: ChatCall["headers"]): string {
  return `const reply = await fetch("${url}", {
  method: "POST",
  headers: { authorization: \`Bearer \${process.env.TOKEN}\`, "content-type": "application/json"${members(own)} },
  body: JSON.stringify(${json}),
});`;
}

function toOpenAi(base: string, json: string, own: ChatCall["headers"]): string {
  return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: process.env.TOKEN });
const reply = await client.chat.completions.create(${json}${option(own)});`;
}

function toAiSdk(base: string, { model, messages }: ChatCall["body"], own: ChatCall["headers"]): string {
  return `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const gatehouse = createOpenAICompatible({ name: "gatehouse", baseURL: "${base}", apiKey: process.env.TOKEN${option(own, false)} });
const { textStream } = streamText({
  model: gatehouse(${JSON.stringify(model)}),
  messages: ${JSON.stringify(messages, null, 2).replaceAll("\n", "\n  ")},
});`;
}

/** Headers as further members of an object. */
function members(headers: ChatCall["headers"]): string {
  return Object.entries(headers)
    .map(([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join("");
}

/** Headers as a further argument of a call, or member of an object. */
function option(headers: ChatCall["headers"], isArgument = true): string {
  if (Object.keys(headers).length === 0) return "";
  const member = `headers: ${JSON.stringify(headers)}`;
  return isArgument ? `, { ${member} }` : `, ${member}`;
}
