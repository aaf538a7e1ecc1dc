import type { Json, UpstreamScript } from "@gatehouse/e2e";
import { type Encoding, encodings, replyBytes, replyResult } from "../misbehaviour.ts";
import { type Payload, type Place, replyBytesMax } from "./place.ts";
import { sendOnce } from "./send.ts";
import { costlySchema, everyGuard, playShort } from "./site.ts";

type Script = (payload: Payload) => UpstreamScript;

interface CallSettings {
  readonly of: "chat" | "wrapper";
  readonly stream?: boolean;
  readonly settings?: Json;
  readonly guardrails?: Json;
  readonly path?: string;
}

/** A call whose provider answers with the payload. */
function providerPlace(
  name: string,
  families: Place["families"],
  { script, call }: { script: Script; call: CallSettings },
): Place {
  const { of, stream = false, settings, guardrails, path } = call;
  return {
    name: `provider: ${name}`,
    families,
    bytesMax: replyBytesMax,
    arm: async (site, payload) => {
      const { slug, uuid, base, token } = await site.freshEndpoint(of, script(payload), settings);
      if (guardrails !== undefined) await site.call("svc_set_guardrails", { endpoint: uuid, ...guardrails });
      const body =
        of === "chat"
          ? { message: "Hello", stream }
          : { model: slug, stream, messages: [{ role: "user", content: "Hello" }], input: "Hello" };
      const target = path ?? (of === "chat" ? `/${slug}` : "/chat/completions");
      return async () => await sendOnce(site, { path: `${base}${target}`, token, body: JSON.stringify(body) });
    },
  };
}

function completion(content: string, more = ""): string {
  const choice = `{"index":0,"message":{"role":"assistant","content":${content}},"finish_reason":"stop"}`;
  return `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[${choice}]${more},"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`;
}

function asDelta({ literal }: Payload): string {
  const delta = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":${literal}},"finish_reason":null}]}`;
  return `data: ${delta}\n\ndata: [DONE]\n\n`;
}

const events = { contentType: "text/event-stream" } as const;
const ofText = ["text"] as const;
const ofValue = ["value"] as const;

const providerPlaces: readonly Place[] = [
  providerPlace("content", ofText, { script: ({ literal }) => replyBytes(completion(literal)), call: { of: "chat" } }),
  providerPlace("content without a bill", ofText, {
    script: ({ literal }) =>
      replyBytes(
        `{"choices":[{"index":0,"message":{"role":"assistant","content":${literal}},"finish_reason":"stop"}]}`,
      ),
    call: { of: "chat" },
  }),
  providerPlace("content under guardrails", ofText, {
    script: ({ literal }) => replyBytes(completion(literal)),
    call: { of: "chat", guardrails: { ...everyGuard, apply_to_output: true } },
  }),
  providerPlace("content under an output schema", ["text", "value"], {
    script: ({ text }) => replyBytes(completion(JSON.stringify(text))),
    call: { of: "chat", settings: { output_schema: costlySchema } },
  }),
  providerPlace("member of a reply", ofValue, {
    script: ({ literal }) => replyBytes(completion('"Short."', `,"extra":${literal}`)),
    call: { of: "wrapper" },
  }),
  providerPlace("whole reply", ofValue, { script: ({ literal }) => replyBytes(literal), call: { of: "wrapper" } }),
  providerPlace("error", ["text", "value"], {
    script: ({ literal }) => replyBytes(`{"error":{"message":${literal}}}`, { status: 400 }),
    call: { of: "chat" },
  }),
  providerPlace("embeddings", ofValue, {
    script: ({ literal }) => replyBytes(`{"object":"list","data":${literal},"model":"m"}`),
    call: { of: "wrapper", path: "/embeddings" },
  }),
  providerPlace("one delta", ofText, {
    script: (payload) => replyBytes(asDelta(payload), events),
    call: { of: "chat", stream: true },
  }),
  providerPlace("stream", ["stream"], {
    script: ({ text }) => replyBytes(text, events),
    call: { of: "chat", stream: true },
  }),
  providerPlace("stream to the wrapper", ["stream"], {
    script: ({ text }) => replyBytes(text, events),
    call: { of: "wrapper", stream: true },
  }),
  ...encodings.map((encoding) =>
    providerPlace(`reply in ${encoding}`, ofValue, {
      script: ({ literal }) => replyBytes(literal, { encoding }),
      call: { of: "wrapper" },
    }),
  ),
];

/** A list of tools, or a call, that the upstream answers with the payload. */
function upstreamPlace(
  name: string,
  families: Place["families"],
  { script, method }: { script: Script; method: "tools/list" | "tools/call" },
): Place {
  return {
    name: `upstream: ${name}`,
    families,
    bytesMax: replyBytesMax,
    arm: async (site, payload) => {
      const { base, token } = await site.freshGateway(script(payload));
      const params = method === "tools/call" ? { name: "up__echo", arguments: {} } : {};
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return async () => await sendOnce(site, { path: base, token, body });
    },
  };
}

function oneTool({ literal }: Payload, member: "description" | "inputSchema"): string {
  const others = member === "description" ? '"inputSchema":{"type":"object"}' : '"description":"d"';
  return `{"tools":[{"name":"echo",${others},"${member}":${literal}}]}`;
}

/** Refuses to resume a stream that ended: waiting for that until the call's time-out costs the product nothing. */
function onceOnly(script: UpstreamScript): UpstreamScript {
  return async (request, res) => {
    if (request.method === "GET") res.writeHead(405).end();
    else await script(request, res);
  };
}

function encodedPlace(encoding: Encoding): Place {
  return upstreamPlace(`list in ${encoding}`, ofValue, {
    script: ({ literal }) => replyResult(literal, { encoding }),
    method: "tools/list",
  });
}

const upstreamPlaces: readonly Place[] = [
  upstreamPlace("description of a tool", ofText, {
    script: (payload) => replyResult(oneTool(payload, "description")),
    method: "tools/list",
  }),
  upstreamPlace("schema of a tool", ["value", "schema"], {
    script: (payload) => replyResult(oneTool(payload, "inputSchema")),
    method: "tools/list",
  }),
  upstreamPlace("list", ofValue, {
    script: ({ literal }) => replyResult(`{"tools":${literal}}`),
    method: "tools/list",
  }),
  upstreamPlace("list as an event", ofValue, {
    script: ({ literal }) => replyResult(`{"tools":${literal}}`, events),
    method: "tools/list",
  }),
  upstreamPlace("text of a result", ofText, {
    script: ({ literal }) => replyResult(`{"content":[{"type":"text","text":${literal}}]}`),
    method: "tools/call",
  }),
  upstreamPlace("result", ofValue, { script: ({ literal }) => replyResult(literal), method: "tools/call" }),
  upstreamPlace("result as an event", ofValue, {
    script: ({ literal }) => replyResult(literal, events),
    method: "tools/call",
  }),
  upstreamPlace("stream", ["stream"], {
    script: ({ text }) => onceOnly(replyBytes(text, events)),
    method: "tools/call",
  }),
  upstreamPlace("body that is no envelope", ["value", "stream"], {
    script: ({ text }) => replyBytes(text),
    method: "tools/list",
  }),
  ...encodings.map(encodedPlace),
];

const apiPlaces: readonly Place[] = encodings.map((encoding) => ({
  name: `api: reply in ${encoding}`,
  families: ofText,
  bytesMax: replyBytesMax,
  arm: async (site, { text }) => {
    playShort(site);
    site.upstream.play(replyBytes(text, { encoding }));
    return async () => await sendOnce(site, { method: "GET", path: `${site.api.base}/open`, token: site.api.token });
  },
}));

export const replyPlaces: readonly Place[] = [...providerPlaces, ...upstreamPlaces, ...apiPlaces];
