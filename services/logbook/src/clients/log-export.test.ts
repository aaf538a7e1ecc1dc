import { Secret } from "@gatehouse/vault";
import { afterEach, expect, test, vi } from "vitest";
import { LogExport } from "./log-export.ts";

interface Post {
  readonly body: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | null | undefined;
}

/** A collector that answers as a test says, and what it was sent. */
function openCollector(answer: (body: string) => Response) {
  const posts: Post[] = [];
  vi.stubGlobal("fetch", async (_url: string, { body, headers, signal }: RequestInit & { readonly body: string }) => {
    posts.push({ body, headers: new Headers(headers), signal });
    return await Promise.resolve(answer(body));
  });
  const refused: number[] = [];
  const headers = new Secret("api-key=hunter2");
  const collector = { endpoint: "http://127.0.0.1:4318/", headers };
  return { posts, refused, logExport: new LogExport(collector, (count) => refused.push(count)) };
}

afterEach(() => vi.unstubAllGlobals());

const since = new Date(0);
const toMessage = (id: string) => ({ id, body: JSON.stringify([{ at_ms: 1, request_id: id, status: 200 }]) });
const messages = ["first", "second", "third"].map(toMessage);
const namesIn = ({ body }: Post) => ["first", "second", "third"].filter((name) => body.includes(name));

test("a refused batch is sent again message by message, within one deadline", async () => {
  const { posts, refused, logExport } = openCollector((body) => {
    const isWhole = body.includes("first") && body.includes("second");
    return new Response(null, { status: isWhole || body.includes("third") ? 413 : 200 });
  });
  await logExport.send(messages, since);
  expect(posts.map(namesIn)).toEqual([["first", "second", "third"], ["first"], ["second"], ["third"]]);
  expect(new Set(posts.map(({ signal }) => signal)).size).toBe(1);
  expect(posts[0]?.signal).toBeInstanceOf(AbortSignal);
  expect(refused).toEqual([1]);
});

test("messages accepted or refused before a failure are neither sent nor counted again", async () => {
  let isAway = true;
  const { posts, refused, logExport } = openCollector((body) => {
    if (body.includes("third") && !body.includes("first")) return new Response(null, { status: isAway ? 503 : 200 });
    return new Response(null, { status: body.includes("second") ? 400 : 200 });
  });
  await expect(logExport.send(messages, since)).rejects.toMatchObject({ code: "unavailable" });
  expect(logExport.failure).toBe("the collector answers 503");
  isAway = false;
  posts.length = 0;
  await logExport.send(messages, since);
  expect(posts.map(namesIn)).toEqual([["third"]]);
  expect(refused).toEqual([1]);
  expect(logExport.failure).toBeUndefined();
});

test("an endless reply is read up to a bound, and the entries count as accepted", async () => {
  const canceled = vi.fn<() => void>();
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => controller.enqueue(new Uint8Array(16_384));
  const { logExport } = openCollector(() => new Response(new ReadableStream({ pull, cancel: canceled })));
  await logExport.send(messages, since);
  expect(canceled).toHaveBeenCalledOnce();
});

test("records that the collector rejects are counted as refused", async () => {
  const { refused, logExport } = openCollector(() => Response.json({ partialSuccess: { rejectedLogRecords: "2" } }));
  await logExport.send(messages, since);
  expect(refused).toEqual([2]);
});

test("every request has the configured headers, and no error shows them", async () => {
  const { posts, logExport } = openCollector(() => new Response(null, { status: 401 }));
  const failure: unknown = await logExport.send(messages, since).catch((err: unknown) => err);
  expect(posts[0]?.headers.get("api-key")).toBe("hunter2");
  expect(posts[0]?.headers.get("content-type")).toBe("application/json");
  expect(JSON.stringify([failure, String((failure as Error).cause), logExport])).not.toContain("hunter2");
});
