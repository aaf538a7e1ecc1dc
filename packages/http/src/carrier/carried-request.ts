import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Socket } from "node:net";

/** Never connected, so that a carried request cannot end the shared connection. */
const nowhere = new Socket();

/** A request that arrived whole, on a shared connection. */
export class CarriedRequest extends IncomingMessage {
  #body: Buffer | undefined;

  constructor(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer) {
    super(nowhere);
    this.method = method;
    this.url = path;
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

  override _destroy(err: Error | null, callback: (err?: Error | null) => void): void {
    callback(err);
  }
}

/** Whether a request shares its connection, whose caller was authenticated when it was opened. */
export function isCarried(req: IncomingMessage): req is CarriedRequest {
  return req instanceof CarriedRequest;
}
