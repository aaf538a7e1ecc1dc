import { Readable } from "node:stream";
import { type Attack, type Payload, type Place, requestBytesMax } from "./place.ts";
import { sendOnce } from "./send.ts";
import { type TargetProject, playShort, type Site } from "./site.ts";

type Body = (payload: Payload) => string;

/** Sends a body to a path with the token of a project. */
function armed(
  site: Site,
  sending: { readonly project: TargetProject; readonly path: string; readonly body: string },
): Attack {
  playShort(site);
  const { project, path, body } = sending;
  const bytes = Buffer.from(body);
  return async () => await sendOnce(site, { path: `${project.base}${path}`, token: project.token, body: bytes });
}

function requestPlace(
  name: string,
  families: Place["families"],
  { of, path, body }: { of: "chat" | "wrapper" | "mcp" | "api"; path: string; body: Body },
): Place {
  return {
    name,
    families,
    bytesMax: requestBytesMax,
    arm: async (site, payload) => armed(site, { project: site[of], path, body: body(payload) }),
  };
}

const ofText = ["text"] as const;
const ofValue = ["value"] as const;
const ofChat = ["chat"] as const;

const asMessage: Body = ({ literal }) => `{"message":${literal}}`;
const asMember: Body = ({ literal }) => `{"message":"Hello","extra":${literal}}`;
const asMembers: Body = ({ text }) => `{${text}}`;
const wrapped = (model: string, members: string) => `{"model":"${model}",${members}}`;
const hello = '"messages":[{"role":"user","content":"Hello"}]';
const sessionId = "3f2a6c1e-0f5b-4d3e-9a51-2f6f0c9b7d10";

const chatPlaces: readonly Place[] = [
  requestPlace("chat: message", ofText, { of: "chat", path: "/plain", body: asMessage }),
  requestPlace("chat: message under a token cap and a budget", ofText, {
    of: "chat",
    path: "/capped",
    body: asMessage,
  }),
  requestPlace("chat: message under guardrails", ofText, { of: "chat", path: "/guarded", body: asMessage }),
  requestPlace("chat: message under an input schema", ofText, { of: "chat", path: "/shaped", body: asMessage }),
  requestPlace("chat: variable of a prompt", ofText, {
    of: "chat",
    path: "/prompted",
    body: ({ literal }) => `{"message":"Hello","variables":{"a":${literal}}}`,
  }),
  requestPlace("chat: message of a session", ofText, {
    of: "chat",
    path: "/plain",
    body: ({ literal }) => `{"message":${literal},"session_id":"${sessionId}"}`,
  }),
  requestPlace("chat: unknown member", ofValue, { of: "chat", path: "/plain", body: asMember }),
  requestPlace("chat: member under an input schema", ofValue, {
    of: "chat",
    path: "/shaped",
    body: ({ literal }) => `{"message":"Hello","list":${literal}}`,
  }),
  requestPlace("chat: items searched by an input schema", ofValue, {
    of: "chat",
    path: "/shaped",
    body: ({ literal }) => `{"message":"Hello","some":${literal}}`,
  }),
  requestPlace("chat: whole body", ofValue, { of: "chat", path: "/plain", body: ({ literal }) => literal }),
  requestPlace("chat: members", ofChat, { of: "chat", path: "/plain", body: asMembers }),
  requestPlace("chat: members under guardrails", ofChat, { of: "chat", path: "/guarded", body: asMembers }),
  requestPlace("chat: members under a token cap", ofChat, { of: "chat", path: "/capped", body: asMembers }),
  requestPlace("dispatcher: endpoint", ofText, {
    of: "chat",
    path: "/chat/completions",
    body: ({ literal }) => `{"message":"Hello","endpoint":${literal}}`,
  }),
  requestPlace("dispatcher: message", ofText, {
    of: "chat",
    path: "/chat/completions",
    body: ({ literal }) => `{"endpoint":"plain","message":${literal}}`,
  }),
];

const wrapperPlaces: readonly Place[] = [
  requestPlace("wrapper: content", ofText, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ literal }) => wrapped("plain", `"messages":[{"role":"user","content":${literal}}]`),
  }),
  requestPlace("wrapper: content under guardrails", ofText, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ literal }) => wrapped("guarded", `"messages":[{"role":"user","content":${literal}}]`),
  }),
  requestPlace("wrapper: model", ofText, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ literal }) => `{"model":${literal},${hello}}`,
  }),
  requestPlace("wrapper: parameter", ofValue, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ literal }) => wrapped("plain", `${hello},"metadata":${literal}`),
  }),
  requestPlace("wrapper: parameter under guardrails", ofValue, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ literal }) => wrapped("guarded", `${hello},"metadata":${literal}`),
  }),
  requestPlace("wrapper: members", ofChat, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ text }) => wrapped("plain", text),
  }),
  requestPlace("wrapper: members under guardrails", ofChat, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ text }) => wrapped("guarded", text),
  }),
  requestPlace("wrapper: members under a token cap", ofChat, {
    of: "wrapper",
    path: "/chat/completions",
    body: ({ text }) => wrapped("capped", text),
  }),
  requestPlace("embeddings: input", ["text", "value", "embeddings"], {
    of: "wrapper",
    path: "/embeddings",
    body: ({ literal }) => wrapped("plain", `"input":${literal}`),
  }),
  requestPlace("embeddings: input of no endpoint", ["embeddings"], {
    of: "wrapper",
    path: "/embeddings",
    body: ({ literal }) => wrapped("missing", `"input":${literal}`),
  }),
  requestPlace("embeddings: input under guardrails", ["embeddings"], {
    of: "wrapper",
    path: "/embeddings",
    body: ({ literal }) => wrapped("guarded", `"input":${literal}`),
  }),
];

function rpcCall(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
}

const mcpPlaces: readonly Place[] = [
  requestPlace("bridge: body", ["rpc", "value"], { of: "chat", path: "/mcp", body: ({ text }) => text }),
  requestPlace("bridge: message", ofText, {
    of: "chat",
    path: "/mcp",
    body: ({ literal }) => rpcCall(`{"name":"plain","arguments":{"message":${literal}}}`),
  }),
  requestPlace("bridge: tool name", ofText, {
    of: "chat",
    path: "/mcp",
    body: ({ literal }) => rpcCall(`{"name":${literal},"arguments":{"message":"Hello"}}`),
  }),
  requestPlace("bridge: arguments", ofValue, {
    of: "chat",
    path: "/mcp",
    body: ({ literal }) => rpcCall(`{"name":"plain","arguments":{"message":"Hello","extra":${literal}}}`),
  }),
  requestPlace("gateway: body", ["rpc", "value"], { of: "mcp", path: "", body: ({ text }) => text }),
  requestPlace("gateway: argument", ["text", "value"], {
    of: "mcp",
    path: "",
    body: ({ literal }) => rpcCall(`{"name":"up__echo","arguments":{"a":${literal}}}`),
  }),
  requestPlace("gateway: tool name", ofText, {
    of: "mcp",
    path: "",
    body: ({ literal }) => rpcCall(`{"name":${literal}}`),
  }),
];

/** Each byte is a separate chunk: six bytes on the wire for one of the body. */
const chunkedPlace: Place = {
  name: "chat: body in chunks of one byte",
  families: ofText,
  bytesMax: 128 * 1024,
  arm: async (site, payload) => {
    playShort(site);
    const bytes = Buffer.from(asMessage(payload));
    return async () => {
      const body = Readable.from(
        (function* () {
          for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
        })(),
      );
      return await sendOnce(site, { path: `${site.chat.base}/plain`, token: site.chat.token, body });
    };
  },
};

export const requestPlaces: readonly Place[] = [
  ...chatPlaces,
  ...wrapperPlaces,
  ...mcpPlaces,
  chunkedPlace,
  requestPlace("api gateway: body", ["text", "value"], { of: "api", path: "/open", body: ({ text }) => text }),
];
