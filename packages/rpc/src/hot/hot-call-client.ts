import { ClientError, type CallOptions, type CompatServiceDefinition, Metadata, Status } from "nice-grpc";
import type { DeadlineOptions } from "nice-grpc-client-middleware-deadline";
import { fromCallError, remainingMs } from "../error-mapping.ts";
import type { Methods } from "../peer-link.ts";
import { hotStreamBounds } from "./bounds.ts";
import { type HotMethod, listHotMethods } from "./hot-methods.ts";
import { type CallToSend, type OpenStream, HotStream } from "./hot-stream.ts";

type Options = CallOptions & DeadlineOptions;

/** Hot calls to one peer: over one stream at a time, opened on first use and reopened when it has ended. */
export class HotCallClient {
  readonly #openStream: OpenStream;
  readonly #identity: () => string;
  #stream: HotStream | undefined;
  #unknownUntilMs = Number.NEGATIVE_INFINITY;

  /** @param identity current identity of the caller, for the stream of `openStream` */
  constructor(openStream: OpenStream, identity: () => string) {
    this.#openStream = openStream;
    this.#identity = identity;
  }

  /** A client whose hot calls use the stream, and whose others use `unary`. */
  attach(definition: CompatServiceDefinition, unary: Methods): Methods {
    const hot = listHotMethods(definition).map((method) => [method.name, this.#method(method, unary)]);
    return { ...unary, ...(Object.fromEntries(hot) as Methods) };
  }

  /** Calls in flight continue. */
  close(): void {
    this.#stream?.end();
    this.#stream = undefined;
  }

  #method({ name, path, requestType, responseType }: HotMethod, unary: Methods) {
    return async (request: unknown, options: Options): Promise<unknown> => {
      const askUnary = async () => await unary[name]?.(request, options);
      if (!this.#canCarry(options)) return await askUnary();
      const bytes = requestType.encode(requestType.fromPartial(request)).finish();
      if (bytes.byteLength > hotStreamBounds.requestBytesMax) return await askUnary();
      try {
        return responseType.decode(await this.#send(toCall(path, bytes, options)));
      } catch (err) {
        if (isUnknown(err)) return await askUnary();
        throw fromCallError(err);
      }
    };
  }

  #send(call: CallToSend): Promise<Uint8Array> {
    call.signal?.throwIfAborted();
    this.#stream ??= new HotStream(this.#openStream, this.#identity, (stream, err) => this.#retire(stream, err));
    return this.#stream.call(call);
  }

  /** Calls with headers or trailers need a separate gRPC stream. */
  #canCarry(options: Options): boolean {
    const isPlain = options.onHeader === undefined && options.onTrailer === undefined;
    return isPlain && options.deadline !== undefined && performance.now() >= this.#unknownUntilMs;
  }

  #retire(stream: HotStream, err: unknown): void {
    if (isUnknown(err)) this.#unknownUntilMs = performance.now() + hotStreamBounds.unknownMs;
    if (this.#stream === stream) this.#stream = undefined;
  }
}

/** Whether the peer's version lacks the stream, or this method on it; the call was not run. */
function isUnknown(err: unknown): boolean {
  return err instanceof ClientError && err.code === Status.UNIMPLEMENTED;
}

function toCall(path: string, request: Uint8Array, { metadata, signal, deadline = 0 }: Options): CallToSend {
  return { path, request, timeoutMs: Math.ceil(remainingMs(deadline)), metadata: toTexts(metadata), signal };
}

function toTexts(metadata: Options["metadata"]): Record<string, string> {
  const texts: Record<string, string> = {};
  if (metadata === undefined) return texts;
  for (const [name, values] of Metadata(metadata)) texts[name] = values.join(", ");
  return texts;
}
