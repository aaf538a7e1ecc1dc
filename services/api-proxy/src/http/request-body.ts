import type { IncomingMessage } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { bodyTooLarge, GatewayError } from "@gatehouse/errors";
import { hasBody, readBody } from "@gatehouse/http";
import type { ProxyBounds } from "../config.ts";

type RequestBodyBounds = Pick<ProxyBounds, "bodySizeBytesMax" | "idleTimeoutMs">;

/** Largest body that is read before it is sent, which is cheaper and permits a repetition. */
const replayableBytesMax = 64 * 1024;

/**
 * Body to send: null for none, complete where it is small and its length is known, else streamed.
 * @throws GatewayError `body_too_large`, `request_timeout`, or `cancelled` when the client left
 */
export function takeBody(req: IncomingMessage, bounds: RequestBodyBounds): BodyMeter | null | Promise<Buffer> {
  if (!hasBody(req)) return null;
  const { bodySizeBytesMax, idleTimeoutMs } = bounds;
  const length = Number(req.headers["content-length"]);
  if (bodySizeBytesMax > 0 && length > bodySizeBytesMax)
    throw bodyTooLarge(bodySizeBytesMax, "PROXY_BODY_SIZE_BYTES_MAX");
  if (length <= replayableBytesMax)
    return readBody(req, { sizeBytesMax: replayableBytesMax, timeoutMs: idleTimeoutMs });
  return req.pipe(new BodyMeter(bounds));
}

/**
 * Streams a body, and ends the call where it exceeds its bound or its silence is too long. A separate stream, since undici
 * destroys a body that it does not read to the end, and the client's request must survive that.
 */
export class BodyMeter extends Transform {
  readonly #bounds: RequestBodyBounds;
  readonly #timer: NodeJS.Timeout;
  #sizeBytes = 0;

  constructor(bounds: RequestBodyBounds) {
    super();
    this.#bounds = bounds;
    // undici drops the body where it has no connection; an error without a listener would end the process.
    this.on("error", () => {});
    this.#timer = setTimeout(() => this.destroy(bodySilent(bounds.idleTimeoutMs)), bounds.idleTimeoutMs);
  }

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    this.#timer.refresh();
    this.#sizeBytes += chunk.length;
    const { bodySizeBytesMax } = this.#bounds;
    if (bodySizeBytesMax > 0 && this.#sizeBytes > bodySizeBytesMax)
      callback(bodyTooLarge(bodySizeBytesMax, "PROXY_BODY_SIZE_BYTES_MAX"));
    else callback(null, chunk);
  }

  override _flush(callback: TransformCallback): void {
    clearTimeout(this.#timer);
    callback();
  }

  override _destroy(err: Error | null, callback: (err?: Error | null) => void): void {
    clearTimeout(this.#timer);
    callback(err);
  }
}

function bodySilent(timeoutMs: number): GatewayError {
  return new GatewayError(
    "request_timeout",
    `No part of the request body was received or forwarded for ${timeoutMs} ms.`,
  );
}
