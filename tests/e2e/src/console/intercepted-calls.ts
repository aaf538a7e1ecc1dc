import type { CDPSession, Page } from "playwright-core";

/** A request that the browser holds until a test decides. */
export interface InterceptedCall {
  /** HTTP method. */
  readonly verb: string;
  /** JSON body; an empty object without one. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Sends it on unchanged. */
  pass(): Promise<void>;
  /** Fails like the network. */
  abort(): Promise<void>;
  /** Sends it on, and replaces the JSON reply by the result of `change`. */
  change(change: (reply: unknown) => unknown): Promise<void>;
  answer(status: number, json: unknown): Promise<void>;
}

interface Paused {
  readonly requestId: string;
  readonly request: { readonly url: string; readonly method: string; readonly postData?: string };
  readonly responseStatusCode?: number;
}

/** Changes of pending replies, by the browser's id of the request. */
type Changes = Map<string, (reply: unknown) => unknown>;

/**
 * Holds the requests whose URL matches. Unlike `page.route`, which holds every request of a page and disables the cache, so that
 * each load compiles the whole console.
 * @param pattern with `*`, of the whole URL
 */
export async function interceptCalls(
  page: Page,
  pattern: string,
  handle: (call: InterceptedCall) => Promise<void>,
): Promise<AsyncDisposable> {
  const session = await page.context().newCDPSession(page);
  const changes: Changes = new Map();
  session.on("Fetch.requestPaused", (paused: Paused) => {
    const isReply = paused.responseStatusCode !== undefined;
    const handled = isReply ? changeReply(session, paused, changes) : handle(callOf(session, paused, changes));
    // The page has moved on, or has cancelled the request.
    handled.catch(() => {});
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: pattern }] });
  return { [Symbol.asyncDispose]: async () => await session.detach() };
}

function callOf(session: CDPSession, { requestId, request }: Paused, changes: Changes): InterceptedCall {
  return {
    verb: request.method,
    body: JSON.parse(request.postData ?? "{}") as Record<string, unknown>,
    pass: async () => void (await session.send("Fetch.continueRequest", { requestId })),
    abort: async () => void (await session.send("Fetch.failRequest", { requestId, errorReason: "Failed" })),
    change: async (change) => {
      changes.set(requestId, change);
      await session.send("Fetch.continueRequest", { requestId, interceptResponse: true });
    },
    answer: async (status, json) => await fulfil(session, requestId, { status, json }),
  };
}

async function changeReply(session: CDPSession, paused: Paused, changes: Changes): Promise<void> {
  const { requestId, responseStatusCode: status = 200 } = paused;
  const change = changes.get(requestId);
  changes.delete(requestId);
  const { body, base64Encoded } = await session.send("Fetch.getResponseBody", { requestId });
  const text = base64Encoded ? Buffer.from(body, "base64").toString() : body;
  await fulfil(session, requestId, { status, json: change?.(JSON.parse(text)) });
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

async function fulfil(session: CDPSession, requestId: string, { status, json }: Answer): Promise<void> {
  await session.send("Fetch.fulfillRequest", {
    requestId,
    responseCode: status,
    responseHeaders: [{ name: "content-type", value: "application/json" }],
    body: Buffer.from(JSON.stringify(json)).toString("base64"),
  });
}
