import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { isGatewayError, replyBrokenOff, serviceUnavailable } from "@gatehouse/errors";
import {
  endToEndHeaders,
  type EndToEndHeaders,
  type ForwardOptions,
  type ForwardOutcome,
  replyEndOf,
  writeInPieces,
} from "@gatehouse/http";
import type { Dispatcher } from "undici";
import type { JudgedReply, UpstreamReply } from "../app/guard-replies.ts";

/** Judges a reply; `signal` aborts when the caller leaves. */
export type JudgeReply = (reply: UpstreamReply, signal: AbortSignal) => Promise<JudgedReply>;

const noHeaders: ReadonlySet<string> = new Set();
/** Encodings that a judged reply may have. */
const readableCodings: ReadonlySet<string> = new Set(["gzip", "deflate", "br"]);
/** Headers that request a part of a reply. */
const rangeHeaders = ["range", "if-range"] as const;
/** Headers that describe the bytes of a reply as sent by its upstream. */
const bytesHeaders = ["content-md5", "digest", "content-digest", "repr-digest", "etag"] as const;
/** Headers that are invalid after bytes were changed. */
const changedHeaders = [...bytesHeaders, "content-length", "accept-ranges"] as const;

/**
 * Adapts the headers of a request whose reply will be judged: no ranges, and an encoding that caller and gateway can read; none
 * where values are to be restored, which may happen while it is streamed.
 */
export function askWholeReply(headers: EndToEndHeaders, getsValues: boolean): EndToEndHeaders {
  for (const name of rangeHeaders) delete headers[name];
  if (getsValues) return { ...headers, "accept-encoding": "identity" };
  const accepted = String(headers["accept-encoding"] ?? "").split(",");
  const readable = accepted.filter((coding) =>
    readableCodings.has(coding.split(";", 1)[0]?.trim().toLowerCase() ?? ""),
  );
  headers["accept-encoding"] = readable.length === 0 ? "identity" : readable.join(",").trim();
  return headers;
}

/** Options for an upstream's reply that may be read here. */
export type UpstreamOptions = ForwardOptions & { readonly dispatcher: Dispatcher };

/**
 * As `forward`, for a request whose body was read: judges the reply, and sends the result without trailers.
 * @throws GatewayError as `forward`, and the errors of `judge`
 */
export async function forwardJudged(
  req: IncomingMessage,
  res: ServerResponse,
  { judge, ...options }: UpstreamOptions & { readonly judge: JudgeReply },
): Promise<ForwardOutcome> {
  const left = new AbortController();
  const leave = () => left.abort(replyEndOf(res));
  if (res.destroyed) leave();
  res.once("close", leave);
  try {
    const reply = await ask(req, options, left.signal);
    // A refused reply is left unread, and ended below.
    reply.body.on("error", () => {});
    if (options.accepts?.(reply.statusCode) === false) {
      await reply.body.dump();
      return "dropped";
    }
    options.onStatus?.(reply.statusCode);
    const judged = await judge(toUpstreamReply(req, reply), left.signal);
    await send(res, reply, judged, options);
    return "sent";
  } catch (err) {
    if (isGatewayError(err)) throw err;
    if (left.signal.aborted) throw replyEndOf(res);
    const { toError = serviceUnavailable } = options;
    throw res.headersSent ? replyBrokenOff(toError(err)) : toError(err);
  } finally {
    res.off("close", leave);
    left.abort();
  }
}

async function ask(
  req: IncomingMessage,
  { dispatcher, origin, path, headers, body = null, headersTimeoutMs, bodyTimeoutMs }: UpstreamOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const method = req.method as Dispatcher.HttpMethod;
  const timeouts = { headersTimeout: headersTimeoutMs, bodyTimeout: bodyTimeoutMs };
  const heard = dispatcher.compose((dispatch) => (request, handler) => dispatch(request, endInQueue(handler, signal)));
  return await heard.request({ origin, path, method, headers, body, signal, ...timeouts });
}

/** Adds what undici's handler lacks: a request that waits for a connection also ends with its signal. */
function endInQueue(handler: Dispatcher.DispatchHandler, signal: AbortSignal): Dispatcher.DispatchHandler {
  const onRequestQueued = (controller: Dispatcher.DispatchController) => {
    const end = () => controller.abort(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  };
  return Object.assign(handler, { onRequestQueued });
}

function toUpstreamReply(req: IncomingMessage, { statusCode: status, headers, body }: Dispatcher.ResponseData) {
  const hasBody = req.method !== "HEAD" && status !== 204 && status !== 304;
  return {
    status,
    contentType: textOf(headers, "content-type"),
    contentEncoding: textOf(headers, "content-encoding"),
    body: hasBody ? body : undefined,
  };
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return value === undefined ? undefined : String(value);
}

async function send(
  res: ServerResponse,
  reply: Dispatcher.ResponseData,
  judged: JudgedReply,
  options: Pick<ForwardOptions, "replyHeaders" | "withheldOfReply">,
): Promise<void> {
  const headers = endToEndHeaders(reply.headers, options.withheldOfReply ?? noHeaders);
  if (judged.isChanged === true) for (const name of changedHeaders) delete headers[name];
  if (judged.kind === "as_it_comes") {
    res.writeHead(reply.statusCode, options.replyHeaders?.(headers) ?? headers);
    if (judged.body === undefined) res.end();
    else await pipeline(judged.body, res);
    return;
  }
  delete headers["content-encoding"];
  delete headers["accept-ranges"];
  headers["content-length"] = String(judged.body.length);
  res.writeHead(reply.statusCode, options.replyHeaders?.(headers) ?? headers);
  await writeInPieces(res, [judged.body]);
}
