import { JsonPart } from "@gatehouse/json";
import { describe, expect, test } from "vitest";
import type { Answer, AnswerError } from "./json-rpc-answer.ts";
import { judgeProtocolMode, type Reply, type Sent } from "./judge-protocol-mode.ts";

const nothing: Reply = { status: 200, answer: undefined, stray: undefined };
const fresh: Sent = { protocolMode: "unknown", hadHandshake: false };
const bare: Sent = { protocolMode: "bare", hadHandshake: false };
const inSession: Sent = { protocolMode: "session", hadHandshake: true };

const result: Answer = { kind: "result", result: JsonPart.known("{}", "object") };
const error = (code: number, message = "no"): Answer => ({ kind: "error", error: { code, message } });
const stray = (code: number, message = "no"): AnswerError => ({ code, message });

type Row = readonly [what: string, reply: Partial<Reply>, sent: Sent, verdict: string];

const rows: readonly Row[] = [
  ["a result", { answer: result }, fresh, "answer"],
  ["a result with an odd status", { status: 400, answer: result }, bare, "answer"],
  ["an error of a tool", { answer: error(-32_000) }, fresh, "answer"],
  ["an error of a tool with status 400", { status: 400, answer: error(-32_000) }, bare, "answer"],
  ["an unknown tool", { answer: error(-32_602, "Unknown tool") }, fresh, "answer"],
  ["an unknown method with status 200", { answer: error(-32_601) }, fresh, "answer"],
  ["a tool's error with a code of 2026-07-28", { answer: error(-32_021) }, fresh, "answer"],
  ["a tool's text about sessions", { answer: error(-32_000, "session expired") }, bare, "answer"],
  ["a session's words about sessions", { answer: error(-32_000, "session expired") }, inSession, "answer"],
  ["the demand of a handshake", { status: 400, stray: stray(-32_000, "not initialized") }, fresh, "handshake"],
  [
    "the same with the request's id",
    { status: 400, answer: error(-32_000, "Server not initialized") },
    fresh,
    "handshake",
  ],
  ["the same with status 200, at first", { answer: error(-32_002, "Server not initialized") }, fresh, "handshake"],
  ["the same without an id and with status 200, at first", { stray: stray(-32_000, "No session") }, fresh, "handshake"],
  ["the same in plain text", { status: 400 }, fresh, "handshake"],
  ["an unprocessable entity", { status: 422 }, fresh, "handshake"],
  ["a lost session, 404", { status: 404, stray: stray(-32_001, "Session not found") }, inSession, "handshake"],
  ["a lost session, 400", { status: 400, stray: stray(-32_000, "Bad Request") }, inSession, "handshake"],
  ["a lost session in plain text", { status: 404 }, inSession, "handshake"],
  ["a bare server that wants sessions now", { status: 400, stray: stray(-32_000) }, bare, "handshake"],
  ["a server of 2026-07-28", { status: 400, answer: error(-32_022) }, fresh, "modern"],
  ["the same without an id", { status: 400, stray: stray(-32_022) }, fresh, "modern"],
  ["missing headers of 2026-07-28", { status: 400, answer: error(-32_020) }, bare, "modern"],
  ["an unknown method with status 404, at first", { status: 404, answer: error(-32_601) }, fresh, "modern"],
  ["an unknown method with status 404, later", { status: 404, answer: error(-32_601) }, bare, "answer"],
  ["nothing at the address, at first", { status: 404 }, fresh, "sse"],
  ["no POST at the address, at first", { status: 405 }, fresh, "sse"],
  ["no POST at the address, later", { status: 405 }, bare, "failure"],
  ["another address, body kept", { status: 307 }, fresh, "failure"],
  ["another address for good", { status: 308 }, inSession, "failure"],
  ["another address, body lost", { status: 302 }, fresh, "failure"],
  ["wrong credentials", { status: 401, stray: stray(-32_001) }, fresh, "failure"],
  ["an error of a tool with status 401", { status: 401, answer: error(-32_001) }, bare, "answer"],
  ["an error of a tool with status 403", { status: 403, answer: error(-32_099) }, inSession, "answer"],
  ["an error of the protocol with status 401", { status: 401, answer: error(-32_600) }, fresh, "failure"],
  ["a result with status 403", { status: 403, answer: result }, bare, "failure"],
  ["wrong credentials in a session", { status: 403 }, inSession, "failure"],
  ["a broken server", { status: 500 }, fresh, "failure"],
  ["no answer", {}, fresh, "failure"],
  ["an error of no request", { stray: stray(-32_603) }, bare, "failure"],
  ["a server's error without the id", { stray: stray(-32_042) }, bare, "answer"],
  ["a server's error without the id, with status 500", { status: 500, stray: stray(-32_042) }, inSession, "answer"],
  ["accepted and no more", { status: 202 }, inSession, "failure"],
];

test.each(rows)("%s", (_what, reply, ...rest) => {
  const [sent, verdict] = rest;
  expect(judgeProtocolMode({ ...nothing, ...reply }, sent).kind).toBe(verdict);
});

test.each([
  ["without the id", { stray: stray(-32_042, "quota") }, error(-32_042, "quota")],
  ["about sessions", { answer: error(-32_001, "Session not found") }, error(-32_001, "Session not found")],
  ["of the protocol", { stray: stray(-32_600) }, undefined],
  ["in plain text", {}, undefined],
])("a demand of a handshake keeps a server's own error %s as the answer if the handshake changes nothing", (...row) => {
  const [, reply, refusal] = row;
  expect(judgeProtocolMode({ ...nothing, status: 400, ...reply }, inSession)).toEqual({ kind: "handshake", refusal });
});

describe("failures", () => {
  test.each([
    [401, "unauthorized"],
    [403, "unauthorized"],
    [302, "redirected"],
    [307, "redirected"],
    [308, "redirected"],
    [200, "malformed"],
    [429, "status"],
    [500, "status"],
  ])("HTTP %i is a failure of the kind %s", (status, kind) => {
    expect(judgeProtocolMode({ ...nothing, status }, bare)).toMatchObject({ kind: "failure", failure: { kind } });
  });
});
