import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { CompletionRequest, CompletionUsage } from "../forms/completion.ts";
import type { ProviderKind } from "../provider.ts";
import { type Answer, eventStream, json } from "./emulated-server.ts";

const transcripts = new URL("../../test/transcripts/", import.meta.url);

/** Calls that every provider has a transcript of; names with `stream` are answered in pieces. */
export type TranscriptName = "text" | "tools" | "schema" | "stream-text" | "stream-tools";

/** One call over a provider's API, written from its public reference. */
export interface Transcript {
  /** Name of the call in `calls.json`. */
  readonly call: string;
  readonly model: string;
  readonly request: {
    readonly path: string;
    /** `{key}` stands for the credential. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly reply: {
    readonly json?: unknown;
    readonly events?: readonly string[];
    readonly frames?: readonly Frame[];
  };
  readonly expected: {
    readonly id?: string;
    readonly model?: string;
    readonly message: Readonly<Record<string, unknown>>;
    readonly finish_reason: string;
    readonly usage: CompletionUsage;
  };
  readonly eventsBeforeFinish?: number;
}

interface Frame {
  readonly type: string;
  readonly payload: unknown;
}

/** Kinds that speak over a network, and so have transcripts; `openai-compatible` has those of `openai`. */
export const wireKinds = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "azure-openai",
  "bedrock",
] as const satisfies ProviderKind[];
export type WireKind = (typeof wireKinds)[number];

/** Path that a base URL needs before the adapter appends its own; providers' packages know theirs. */
export const basePath: Readonly<Record<WireKind, string>> = {
  openai: "/v1",
  anthropic: "",
  google: "",
  mistral: "",
  "azure-openai": "",
  bedrock: "",
};

/** Reads a recorded call of a provider. @throws Error where the file is absent */
export function readTranscript(kind: WireKind, name: TranscriptName): Transcript {
  return readJson(`./${kind}/${name}.json`) as Transcript;
}

/** Reads a call of `calls.json`, in OpenAI's form. @throws Error for an unknown name */
export function readCall(name: string): Partial<CompletionRequest> {
  const calls = readJson("./calls.json") as Record<string, Partial<CompletionRequest>>;
  const call = calls[name];
  if (call === undefined) throw new Error(`no call '${name}'`);
  return call;
}

/** The reply's pieces, each a separate read. */
export function piecesOf({ reply }: Transcript): readonly (string | Buffer)[] {
  return reply.events ?? reply.frames?.map(encodeFrame) ?? [];
}

/** Answers as in the transcript: with JSON, or with its pieces as an event stream. */
export function answerOf(transcript: Transcript): Answer {
  const { reply } = transcript;
  return reply.json === undefined ? eventStream(piecesOf(transcript)) : json(200, reply.json);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, transcripts), "utf8"));
}

const exceptionForm = /Exception$/;

/** Amazon's event stream encoding: lengths, headers and payload, with checksums over the prelude and the whole. */
function encodeFrame({ type, payload }: Frame): Buffer {
  const kind = exceptionForm.test(type) ? "exception" : "event";
  const headers = Buffer.concat([
    encodeHeader(":message-type", kind),
    encodeHeader(`:${kind}-type`, type),
    encodeHeader(":content-type", "application/json"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const unsigned = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([unsigned, checksum(unsigned)]);
}

const stringType = 7;

function encodeHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([stringType]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/** An error inside a stream, in the provider's form, with the status it implies. */
export const errorPieces: Readonly<Record<WireKind, { readonly piece: string | Buffer; readonly status: number }>> = {
  openai: { piece: errorEvent({ error: { message: "Overloaded", type: "server_error" } }), status: 500 },
  "azure-openai": {
    piece: errorEvent({ error: { message: "Overloaded", type: "server_error", code: "500" } }),
    status: 500,
  },
  anthropic: {
    piece: `event: error\n${errorEvent({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })}`,
    status: 529,
  },
  google: { piece: errorEvent({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }), status: 503 },
  mistral: {
    piece: errorEvent({ error: { message: "Overloaded", type: "service_unavailable", code: 503 } }),
    status: 503,
  },
  bedrock: { piece: encodeFrame({ type: "throttlingException", payload: { message: "Overloaded" } }), status: 429 },
};

/** Bodies of a 429, in the provider's form. */
export const rateLimitReplies: Readonly<Record<WireKind, unknown>> = {
  openai: { error: { message: "Slow down", type: "requests", code: "rate_limit_exceeded" } },
  "azure-openai": { error: { message: "Slow down", code: "429" } },
  anthropic: { type: "error", error: { type: "rate_limit_error", message: "Slow down" } },
  google: { error: { code: 429, message: "Slow down", status: "RESOURCE_EXHAUSTED" } },
  mistral: { object: "error", message: "Slow down", type: "rate_limited", code: "1300" },
  bedrock: { message: "Slow down" },
};

/** Data in a stream that the provider's API does not allow. */
export const badPieces: Readonly<Record<WireKind, string | Buffer>> = {
  openai: "data: {oops\n\n",
  "azure-openai": "data: {oops\n\n",
  anthropic: "event: content_block_delta\ndata: {oops\n\n",
  google: "data: {oops\n\n",
  mistral: "data: {oops\n\n",
  bedrock: Buffer.from([0, 0, 0, 20, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
};

function errorEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
