import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { ArraySet, guarded, RequestMap, throwUncaught } from "@gatehouse/async";
import { endOfConnection, recordReplyEnd } from "../reply-end.ts";
import { carrierBounds } from "./bounds.ts";
import { fromEndHead } from "./call-end.ts";
import { CarriedReply, type ReplySink } from "./carried-reply.ts";
import { CarriedRequest } from "./carried-request.ts";
import { FrameWriter } from "./frame-writer.ts";
import { frameKinds, FrameReader, type ReadFrame, replyFlags } from "./frames.ts";
import type { NamedCalls } from "./named-calls.ts";

/**
 * The server's side of a connection that carries calls. The caller closes it once every call is answered; closing earlier cancels
 * its calls. A connection that its caller does not close, or that stalls inside a frame, is cut off.
 */
export class CarriedConnection implements ReplySink {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #named: NamedCalls;
  readonly #writer: FrameWriter;
  readonly #reader = new FrameReader();
  readonly #inFlight = new RequestMap<number, CarriedReply>();
  readonly #changed = new ArraySet<CarriedReply>();
  readonly #look: NodeJS.Timeout;
  #isDraining = false;
  /** Silence between frames or inside one, counted in checks: a process that was frozen has neither checked nor read. */
  #quietMs = 0;

  constructor(socket: Socket, listener: RequestListener, named: NamedCalls) {
    this.#socket = socket;
    this.#named = named;
    // Only a defect of the gateway can throw here: it is reported as uncaught, and the shared connection stays open.
    this.#listener = guarded<Parameters<RequestListener>>(listener, (cause, _req, res) => {
      res.destroy();
      throwUncaught(cause);
    });
    this.#writer = new FrameWriter(socket, () => this.#collect());
    const cutOff = () => void socket.destroy();
    socket.setNoDelay(true);
    socket.setKeepAlive(true, carrierBounds.keepAliveMs);
    this.#look = setInterval(() => this.#endQuiet(), carrierBounds.lookIntervalMs).unref();
    socket.on("error", cutOff);
    socket.on(
      "data",
      guarded((chunk: Buffer) => this.#read(chunk), cutOff),
    );
    socket.on(
      "end",
      guarded(() => (this.#inFlight.size === 0 ? socket.end() : socket.destroy()), cutOff),
    );
    socket.on("drain", () => socket.resume());
    socket.once("close", () => this.#abandon());
  }

  /** Asks the caller to carry no further call. */
  drain(): void {
    this.#isDraining = true;
    this.#quietMs = 0;
    this.#writer.push({ kind: frameKinds.drain });
  }

  changed(reply: CarriedReply): void {
    this.#changed.add(reply);
    this.#writer.schedule();
  }

  #read(chunk: Buffer): void {
    if (!this.#reader.isMidFrame) this.#quietMs = 0;
    this.#reader.read(chunk, (frame) => this.#receive(frame));
    // No further calls are read from a caller that does not take replies.
    if (this.#writer.waitingBytes > carrierBounds.waitingBytesMax) this.#socket.pause();
  }

  #receive(frame: ReadFrame): void {
    const { kind, id, head, body } = frame;
    this.#quietMs = 0;
    if (kind === frameKinds.call) return this.#call(frame);
    if (kind === frameKinds.credit) return this.#inFlight.get(id)?.credit(Number(head));
    if (kind !== frameKinds.cancel && kind !== frameKinds.end) return undefined;
    const end = fromEndHead(head);
    if (kind === frameKinds.end) return this.#named.end(body.toString("latin1"), end);
    const reply = this.#inFlight.take(id);
    if (reply !== undefined && end !== undefined) recordReplyEnd(reply, end);
    return void reply?.destroy();
  }

  #call({ id, head, body }: ReadFrame): void {
    if (this.#inFlight.size >= carrierBounds.inFlightMax || this.#inFlight.has(id)) {
      throw new RangeError("A call too many, or one whose id is in use.");
    }
    const [method, path, headers] = JSON.parse(head) as [string, string, IncomingHttpHeaders];
    const req = new CarriedRequest(method, path, headers, body);
    const reply = new CarriedReply(req, id, this);
    this.#inFlight.set(id, reply);
    this.#listener(req, reply);
  }

  #collect(): void {
    // The loop includes replies added meanwhile: the end of one may admit another call, which is answered at once.
    while (this.#changed.size > 0) {
      for (const reply of this.#changed.members()) {
        this.#changed.delete(reply);
        if (this.#inFlight.get(reply.id) === reply) this.#send(reply);
      }
    }
  }

  #send(reply: CarriedReply): void {
    const { id } = reply;
    if (reply.isBroken) return this.#breakOff(reply);
    for (let part = reply.take(); part !== undefined; part = reply.take()) {
      const { head, body, isEnd } = part;
      const flags = (head === undefined ? 0 : replyFlags.head) | (isEnd ? replyFlags.end : 0);
      const headText = head === undefined ? "" : JSON.stringify([head.status, head.headers]);
      // Such a frame would end the connection.
      if (headText.length > carrierBounds.headLengthMax) return this.#breakOff(reply);
      this.#writer.push({ kind: frameKinds.reply, flags, id, head: headText, body });
      if (!isEnd) continue;
      reply.settle();
      return void this.#inFlight.take(id);
    }
    return undefined;
  }

  #breakOff(reply: CarriedReply): void {
    const { id } = reply;
    this.#writer.push({ kind: frameKinds.reply, flags: replyFlags.broken, id });
    this.#inFlight.take(id);
    reply.destroy();
  }

  #endQuiet(): void {
    const { isMidFrame } = this.#reader;
    const isAnswering = this.#inFlight.size > 0 && !isMidFrame;
    // A paused socket is not silent: it is not read until its caller has taken earlier bytes.
    if (isAnswering || this.#socket.isPaused()) this.#quietMs = 0;
    else this.#quietMs += carrierBounds.lookIntervalMs;
    const { frameMs, drainedMs, forgottenMs } = carrierBounds;
    const boundMs = this.#isDraining ? drainedMs : forgottenMs;
    if (this.#quietMs > (isMidFrame ? frameMs : boundMs)) this.#socket.destroy();
  }

  #abandon(): void {
    clearInterval(this.#look);
    const replies = this.#inFlight.values();
    for (const { id } of replies) this.#inFlight.take(id);
    const end = endOfConnection(this.#socket);
    for (const reply of replies) {
      if (end !== undefined) recordReplyEnd(reply, end);
      reply.destroy();
    }
  }
}
