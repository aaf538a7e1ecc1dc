import { headBytesMax, type Payload, type Place } from "./place.ts";
import { type Sending, sendOnce } from "./send.ts";
import type { Site } from "./site.ts";

function headPlace(name: string, sending: (text: string, site: Site) => Sending): Place {
  return {
    name: `head: ${name}`,
    families: ["text"],
    bytesMax: headBytesMax,
    arm: async (site, payload) => {
      const prepared = sending(headerText(payload), site);
      return async () => await sendOnce(site, prepared);
    },
  };
}

/** Header value: Latin-1 without control characters; other text is percent-encoded and truncated to fit. */
function headerText({ text }: Payload): string {
  const encoded = /^[\t\x20-\x7E\xA0-\xFF]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
  return encoded.slice(0, headBytesMax);
}

function pathText(text: string): string {
  return encodeURIComponent(text).slice(0, headBytesMax);
}

const get = { method: "GET" } as const;

export const headPlaces: readonly Place[] = [
  headPlace("header of a caller", (text, { chat }) => ({
    ...get,
    path: `${chat.base}/plain`,
    token: chat.token,
    headers: { "x-hostile": text },
  })),
  headPlace("token", (text) => ({ ...get, path: "/healthz", token: text })),
  headPlace("token of the chat route", (text, { chat }) => ({
    path: `${chat.base}/plain`,
    token: `svc_live_${text}`,
    body: '{"message":"Hello"}',
  })),
  headPlace("token like a JWT", (text, { chat }) => ({
    path: `${chat.base}/plain`,
    token: `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.${Buffer.from(text).toString("base64url").slice(0, headBytesMax)}.x`,
    body: '{"message":"Hello"}',
  })),
  headPlace("trace context", (text, { chat }) => ({
    path: `${chat.base}/plain`,
    token: chat.token,
    body: '{"message":"Hello"}',
    headers: { traceparent: text.slice(0, 512), tracestate: text },
  })),
  headPlace("request id", (text, { chat }) => ({
    path: `${chat.base}/plain`,
    token: chat.token,
    body: '{"message":"Hello"}',
    headers: { "x-request-id": text },
  })),
  headPlace("cookie", (text, { api }) => ({
    ...get,
    path: `${api.base}/open`,
    token: api.token,
    headers: { cookie: `a=${text}` },
  })),
  headPlace("forwarded addresses", (text, { chat }) => ({
    path: `${chat.base}/plain`,
    token: chat.token,
    body: '{"message":"Hello"}',
    headers: { "x-forwarded-for": text, forwarded: text.slice(0, 256) },
  })),
  headPlace("many headers", (text, { api }) => ({
    ...get,
    path: `${api.base}/open`,
    token: api.token,
    headers: Object.fromEntries(
      Array.from({ length: Math.min(900, Math.ceil(text.length / 12)) }, (_, at) => [`x-${at}`, text.slice(0, 4)]),
    ),
  })),
  headPlace("query of an API", (text, { api }) => ({
    ...get,
    path: `${api.base}/open?q=${pathText(text)}`,
    token: api.token,
  })),
  headPlace("path of an API", (text, { api }) => ({
    ...get,
    path: `${api.base}/open/${pathText(text)}`,
    token: api.token,
  })),
  headPlace("slug", (text, { chat }) => ({
    path: `${chat.base}/${pathText(text)}`,
    token: chat.token,
    body: '{"message":"Hello"}',
  })),
  headPlace("project", (text, { chat }) => ({
    path: `/api/${pathText(text)}/plain`,
    token: chat.token,
    body: '{"message":"Hello"}',
  })),
  headPlace("unknown path", (text) => ({ ...get, path: `/${pathText(text)}`, token: "x" })),
  headPlace("console", (text) => ({ ...get, path: `/console/${pathText(text)}`, token: "x" })),
  headPlace("models", (text, { wrapper }) => ({
    ...get,
    path: `${wrapper.base}/models?${pathText(text)}`,
    token: wrapper.token,
  })),
  headPlace("control plane", (text, { adminKey }) => ({
    path: `/control/mcp?${pathText(text)}`,
    token: adminKey,
    body: "{}",
    headers: { origin: text.slice(0, 2_048) },
  })),
];
