import type { JsonObject } from "@gatehouse/json";
import { EventStreamParser, EventTooLarge, type ServerEvent } from "@gatehouse/upstream-http";
import { asRecord, readReplyJson } from "../exchange/json.ts";
import { isKeepAlive } from "../exchange/keep-alive.ts";
import { ProviderError } from "../provider.ts";
import { wholeReplyBytesMax } from "./read-whole-reply.ts";
import type { EventView, ReplyView } from "./reply-view.ts";

/** Bytes of an unfinished event from which on more of it counts as progress: no keep-alive is as long. */
const partBytesMin = 1_024;

/**
 * Whole events of a stream, as the provider's package gets them: without those that its view leaves out, and without one that
 * the stream's end cuts off. Packages parse an event in one go, so each has at most {@link wholeReplyBytesMax}.
 */
export abstract class ReplyEvents {
  readonly #reply: ReplyView;
  readonly #view: EventView;
  #finished = false;
  #ended = false;
  #seen = 0;
  #partBytes = 0;

  constructor(reply: ReplyView) {
    this.#reply = reply;
    this.#view = reply.createEventView();
  }

  /** Whether the answer has its finish reason. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Whether nothing more can be read. The answer is complete then. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The events that these bytes complete; empty where there are none. @throws ProviderError `malformed` */
  abstract read(bytes: Buffer): Promise<Buffer>;

  /** The last event, where the stream ends after it without its mark. */
  abstract readEnd(): Promise<Buffer>;

  /** Whether an event, or more of a long one, has arrived since the last call. Comments are no events. */
  takeProgress(): boolean {
    const partBytes = this.partBytes;
    const grew = partBytes >= partBytesMin && partBytes > this.#partBytes;
    const isProgress = this.#seen > 0 || grew;
    this.#seen = 0;
    this.#partBytes = partBytes;
    return isProgress;
  }

  /** Bytes of the unfinished event. */
  protected abstract get partBytes(): number;

  /** The view of an event. An unreadable event ends a finished answer; before that, it is the package's to report. */
  protected see(event: JsonObject | undefined): readonly JsonObject[] | "unreadable" {
    this.#seen += 1;
    if (event === undefined) {
      if (this.#finished) this.end();
      return "unreadable";
    }
    const shown = this.#view(event);
    this.#finished ||= shown.some((one) => this.#reply.isFinish(one));
    return shown;
  }

  protected end(): void {
    this.#ended = true;
  }
}

const nothing = Buffer.alloc(0);

/** Events of `text/event-stream`, written again. */
export class TextEvents extends ReplyEvents {
  readonly #provider: string;
  readonly #parser = new EventStreamParser(wholeReplyBytesMax);

  constructor(provider: string, view: ReplyView) {
    super(view);
    this.#provider = provider;
  }

  async read(bytes: Buffer): Promise<Buffer> {
    const written: string[] = [];
    try {
      this.#parser.give(bytes);
      for (let event = this.#parser.next(); event !== undefined && !this.ended; event = this.#parser.next()) {
        if (!isKeepAlive(event)) written.push(await this.#write(event));
      }
    } catch (cause) {
      if (!(cause instanceof EventTooLarge)) throw cause;
      throw new ProviderError("malformed", `${this.#provider} sent ${cause.message}`, { cause });
    }
    if (written.length === 0) return nothing;
    // The bound of the parser's work is for streams without events.
    this.#parser.forgetWork();
    return Buffer.from(written.join(""));
  }

  async readEnd(): Promise<Buffer> {
    const event = this.#parser.end();
    const isWhole = event !== undefined && asRecord(await readReplyJson(event.data.toString())) !== undefined;
    return isWhole ? Buffer.from(await this.#write(event)) : nothing;
  }

  protected get partBytes(): number {
    return this.#parser.heldBytes;
  }

  async #write({ name, data: bytes }: ServerEvent): Promise<string> {
    const data = bytes.toString();
    const event = asRecord(await readReplyJson(data));
    const shown = this.see(event);
    if (this.ended) return "";
    if (shown === "unreadable") return toWire(name, data);
    return shown.map((one) => toWire(name, one === event ? data : JSON.stringify(one))).join("");
  }
}

function toWire(name: string, data: string): string {
  return `event: ${name}\ndata: ${data.replaceAll("\n", "\ndata: ")}\n\n`;
}

/** Total length and length of the headers, each of four bytes, and the checksum of both. */
const preludeBytes = 12;
const checksumBytes = 4;

/** Frames of `application/vnd.amazon.eventstream`, passed on as they are: their checksums are the package's to verify. */
export class FrameEvents extends ReplyEvents {
  readonly #provider: string;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(provider: string, view: ReplyView) {
    super(view);
    this.#provider = provider;
  }

  async read(bytes: Buffer): Promise<Buffer> {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    const frames: Buffer[] = [];
    for (let frame = this.#takeFrame(); frame !== undefined && !this.ended; frame = this.#takeFrame()) {
      const headersBytes = frame.readUInt32BE(4);
      const payload = frame.toString("utf8", preludeBytes + headersBytes, frame.length - checksumBytes);
      const shown = this.see(asRecord(await readReplyJson(payload)));
      if (shown === "unreadable" || shown.length > 0) frames.push(frame);
    }
    return Buffer.concat(frames);
  }

  readEnd(): Promise<Buffer> {
    return Promise.resolve(nothing);
  }

  protected get partBytes(): number {
    return this.#heldBytes;
  }

  #takeFrame(): Buffer | undefined {
    if (this.#heldBytes < preludeBytes) return undefined;
    const [first = nothing] = this.#held;
    const head = first.length < preludeBytes ? this.#join() : first;
    const frameBytes = head.readUInt32BE(0);
    if (frameBytes < preludeBytes + checksumBytes || frameBytes > wholeReplyBytesMax) return this.#endUnreadable();
    if (this.#heldBytes < frameBytes) return undefined;
    const all = this.#join();
    this.#held = [all.subarray(frameBytes)];
    this.#heldBytes -= frameBytes;
    return all.subarray(0, frameBytes);
  }

  #join(): Buffer {
    const [first = nothing] = this.#held;
    const all = this.#held.length > 1 ? Buffer.concat(this.#held) : first;
    this.#held = [all];
    return all;
  }

  #endUnreadable(): undefined {
    if (!this.finished) throw new ProviderError("malformed", `${this.#provider} sent a frame that cannot be read`);
    this.end();
  }
}
