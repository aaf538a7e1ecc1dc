import type { Snippet } from "../../parts/snippets.ts";
import type { ChatCall } from "./chat-body.ts";

/** A call in the forms that clients use; the SDKs where the path is theirs. */
export function callSnippets({ path, body }: ChatCall, origin: string): readonly Snippet[] {
  const json = JSON.stringify(body, null, 2);
  const url = `${origin}${path}`;
  const quoted = json.replaceAll("'", String.raw`'\''`);
  const headers = `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`;
  const curl = { title: "curl", text: `curl -sN ${url} \\\n  ${headers} \\\n  -d '${quoted}'` };
  const suffix = "/chat/completions";
  if (!path.endsWith(suffix)) return [curl, { title: "fetch", text: toFetch(url, json) }];
  const base = url.slice(0, -suffix.length);
  return [curl, { title: "OpenAI SDK", text: toOpenAi(base, json) }, { title: "AI SDK", text: toAiSdk(base, body) }];
}

function toFetch(url: string, json: string): string {
  return `const reply = await fetch("${url}", {
  method: "POST",
  headers: { authorization: \`Bearer \${process.env.TOKEN}\`, "content-type": "application/json" },
  body: JSON.stringify(${json}),
});`;
}

function toOpenAi(base: string, json: string): string {
  return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: process.env.TOKEN });
const reply = await client.chat.completions.create(${json});`;
}

function toAiSdk(base: string, { model, messages }: ChatCall["body"]): string {
  return `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const gatehouse = createOpenAICompatible({ name: "gatehouse", baseURL: "${base}", apiKey: process.env.TOKEN });
const { textStream } = streamText({
  model: gatehouse(${JSON.stringify(model)}),
  messages: ${JSON.stringify(messages, null, 2).replaceAll("\n", "\n  ")},
});`;
}
