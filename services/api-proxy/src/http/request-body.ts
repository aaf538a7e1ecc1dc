import type { IncomingMessage } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { bodyTooLarge, GatewayError } from "@gatehouse/errors";
import { hasBody, readBody } from "@gatehouse/http";
import type { ProxyBounds } from "../config.ts";

type RequestBodyBounds = Pick<ProxyBounds, "bodySizeBytesMax" | "idleTimeoutMs">;

/** A body up to this size is read before it is sent on: it costs less, and it can be sent again. */
const replayableBytesMax = 64 * 1024;

/**
 * A request's body as it goes out: null without one, whole where it is small and its length is known, else as it comes.
 * @throws GatewayError `body_too_large`, `request_timeout`, or `cancelled` when the client went away.
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
 * A body on its way. It ends the call where the body grows over its bound or falls silent. A separate stream, since undici
 * destroys a body that it does not need to the end, and the client's request has to outlive that.
 */
export class BodyMeter extends Transform {
  readonly #bounds: RequestBodyBounds;
  readonly #timer: NodeJS.Timeout;
  #sizeBytes = 0;

  constructor(bounds: RequestBodyBounds) {
    super();
    this.#bounds = bounds;
    // Its consumer may have dropped it, as undici does without a connection: an error without a listener would end the process.
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
  return new GatewayError("request_timeout", `Nothing of the request body came or was taken for ${timeoutMs} ms.`);
}
