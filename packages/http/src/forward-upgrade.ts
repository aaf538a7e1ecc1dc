import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
import { endToEndHeaders } from "./end-to-end-headers.ts";
import { ForwardHandler, type ForwardOptions, type Settlement, toDispatchOptions } from "./forward.ts";

/** Options of {@link forwardUpgrade}; those of `forward` without a body, which a request for a WebSocket does not have. */
export interface ForwardUpgradeOptions extends Omit<ForwardOptions, "body" | "accepts"> {
  /** Bytes that the client has sent after its request's head; see `upgradeHeadOf`. */
  readonly head: Buffer;
  /** Longest silence in both directions on a switched connection; 0 for no bound. */
  readonly idleTimeoutMs: number;
}

/**
 * Forwards a request for a WebSocket. Where the upstream switches, bytes pass both ways until either side ends; any other reply
 * is forwarded. Resolves when the connection or the reply has ended.
 * @throws as `forward`
 */
export async function forwardUpgrade(
  req: IncomingMessage,
  res: ServerResponse,
  options: ForwardUpgradeOptions,
): Promise<void> {
  await new Promise<unknown>((resolve, reject) => {
    // The handler's timer has this bound: timers of undici are a second late, and http-client makes no upgrades.
    const request = { ...toDispatchOptions(req, options, null), upgrade: "websocket", headersTimeout: 0 };
    options.dispatcher.dispatch(request, new UpgradeHandler(res, options, { resolve, reject }));
  });
}

class UpgradeHandler extends ForwardHandler {
  readonly #client: ServerResponse;
  readonly #upgrade: ForwardUpgradeOptions;
  readonly #ended: Settlement;
  #timer: NodeJS.Timeout | undefined;

  constructor(res: ServerResponse, options: ForwardUpgradeOptions, settlement: Settlement) {
    super(res, options, settlement);
    this.#client = res;
    this.#upgrade = options;
    this.#ended = settlement;
  }

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    const { headersTimeoutMs } = this.#upgrade;
    // undici may send the request again, on another connection.
    clearTimeout(this.#timer);
    if (headersTimeoutMs > 0) this.#timer = setTimeout(() => controller.abort(late()), headersTimeoutMs);
    super.onRequestStart(controller);
  }

  override onResponseStart(...reply: Parameters<ForwardHandler["onResponseStart"]>): void {
    const [, status] = reply;
    if (status >= 200) clearTimeout(this.#timer);
    super.onResponseStart(...reply);
  }

  protected override detach(): void {
    clearTimeout(this.#timer);
    super.detach();
  }

  // oxlint-disable-next-line max-params -- undici's own.
  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    upstream: Duplex,
  ): void {
    this.detach();
    const { idleTimeoutMs } = this.#upgrade;
    const client = this.#client.req.socket;
    // undici catches exceptions of its handlers' other methods, but not of this one.
    try {
      this.#switch(status, headers, upstream);
    } catch {
      client.destroy();
      upstream.destroy();
    }
    void join(client, upstream, idleTimeoutMs).then(() => this.#ended.resolve("sent"));
  }

  #switch(status: number, headers: IncomingHttpHeaders, upstream: Duplex): void {
    const { head, onStatus, replyHeaders, withheldOfReply = new Set() } = this.#upgrade;
    const res = this.#client;
    // Answered meanwhile by the code that took over the request.
    if (res.destroyed || res.headersSent) upstream.destroy();
    else {
      onStatus?.(status);
      const kept = endToEndHeaders(headers, withheldOfReply);
      const outgoing = replyHeaders === undefined ? kept : replyHeaders(kept);
      res.writeHead(status, { ...outgoing, connection: "Upgrade", upgrade: "websocket" });
      res.flushHeaders();
      res.detachSocket(res.req.socket);
      if (head.length > 0) upstream.write(head);
    }
  }
}

function late(): Error {
  return Object.assign(new Error("The reply is late."), { code: "UND_ERR_HEADERS_TIMEOUT" });
}

/** Passes bytes both ways until either side ends. Never fails: such connections always end by one side closing. */
function join(client: Socket, upstream: Duplex, idleTimeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    let open = 2;
    const endBoth = () => {
      client.destroy();
      upstream.destroy();
    };
    const onClose = () => {
      endBoth();
      open -= 1;
      if (open === 0) resolve();
    };
    const watch = (side: Duplex) => (side.closed ? onClose() : side.once("close", onClose));
    upstream.on("error", endBoth);
    watch(client);
    watch(upstream);
    // Bytes of both directions pass through this socket.
    client.setTimeout(idleTimeoutMs, endBoth);
    client.pipe(upstream).pipe(client);
  });
}
