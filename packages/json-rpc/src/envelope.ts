import type { JsonPart } from "@gatehouse/json";
import { type JsonObject, isJsonObject } from "./json.ts";

/** Named or positional params; undefined where the envelope has none. */
export type JsonRpcParams = JsonObject | readonly unknown[] | undefined;

/**
 * One classified envelope. An `id` is kept as the caller's JSON text, so that it is returned exactly; an `id` of `null` makes an
 * ordinary request.
 */
export type Envelope =
  | {
      readonly kind: "request";
      readonly id: string;
      readonly method: string;
      readonly params: JsonRpcParams;
      /** The params as received; absent where the body was not outlined. */
      readonly paramsPart: JsonPart | undefined;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonRpcParams }
  /** A reply to a request that this side never made. */
  | { readonly kind: "response" }
  | { readonly kind: "invalid"; readonly id: string; readonly problem: string };

/** An envelope or a batch as received; undefined where nothing of it must be kept exactly. */
export type Outline = JsonPart | undefined;

const noId = "null";

/** Checks one member of a body (JSON-RPC 2.0, sections 4 and 5). */
export function parseEnvelope(value: unknown, outline: Outline): Envelope {
  if (!isJsonObject(value)) return invalid(noId, "a request must be a JSON object");
  const hasId = Object.hasOwn(value, "id");
  if (hasId && !isId(value.id)) return invalid(noId, "id must be a string, a number or null");
  const id = hasId ? idText(value.id, outline) : noId;
  if (value.jsonrpc !== "2.0") return invalid(id, 'jsonrpc must be "2.0"');
  const { method, params } = value;
  if (method === undefined && isResponse(value)) return { kind: "response" };
  if (method === undefined) return invalid(id, "method is missing");
  if (typeof method !== "string") return invalid(id, "method must be a string");
  if (!isParams(params)) return invalid(id, "params must be an object or an array");
  const message = { method, params: params ?? undefined };
  if (!hasId) return { kind: "notification", ...message };
  return { kind: "request", id, ...message, paramsPart: outline?.members?.get("params") };
}

/** Whether an id of this parsed body needs its exact text, because JavaScript would round it, such as 12345678901234567890. */
export function hasInexactId(body: unknown): boolean {
  const envelopes: readonly unknown[] = Array.isArray(body) ? body : [body];
  return envelopes.some((envelope) => isJsonObject(envelope) && isInexact(envelope.id));
}

function idText(id: unknown, outline: Outline): string {
  return (isInexact(id) ? outline?.members?.get("id")?.text : undefined) ?? JSON.stringify(id);
}

function isInexact(value: unknown): boolean {
  return typeof value === "number" && !Number.isSafeInteger(value);
}

function isId(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number";
}

/** `null` counts as absent, since some clients send it. */
function isParams(value: unknown): value is JsonRpcParams | null {
  return value === undefined || value === null || typeof value === "object";
}

function isResponse(value: JsonObject): boolean {
  return Object.hasOwn(value, "id") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"));
}

function invalid(id: string, problem: string): Envelope {
  return { kind: "invalid", id, problem };
}
