import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Head of a request, and its body. */
export interface WholeRequestParts {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request that arrived whole. Its body can be taken without waiting, or read as that of any other request. */
export class WholeRequest extends IncomingMessage {
  #body: Buffer | undefined;

  constructor(socket: Socket, { method, url, headers, body }: WholeRequestParts) {
    super(socket);
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.httpVersion = "1.1";
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    this.complete = true;
    this.#body = body;
  }

  /** Returns the body without waiting; undefined where it was taken before, or is being read. */
  takeBody(): Buffer | undefined {
    const body = this.#body;
    this.#body = undefined;
    return body;
  }

  override _read(): void {
    const body = this.takeBody();
    if (body !== undefined && body.length > 0) this.push(body);
    this.push(null);
  }

  /** Leaves the connection as it is: nothing more of this request can come. */
  override _destroy(err: Error | null, callback: (err?: Error | null) => void): void {
    callback(err);
  }
}
