import { ByteSink } from "./byte-sink.ts";

/** An event of `text/event-stream`, dispatched at its empty line. */
export interface ServerEvent {
  /** The `event` field; "message" where there is none. */
  readonly name: string;
  /** The `data` fields, joined by line feeds. */
  readonly data: Buffer;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colonByte = 0x3a;
const space = 0x20;
const nothing = Buffer.alloc(0);
const lineEnd = Buffer.of(lineFeed);
const byteOrderMark = Buffer.from("\uFEFF");
const fieldNameBytesMax = 5;
const nameBytesMax = 256;
/** Characters that a header can carry, since the id goes back in one. */
const idPattern = /^[\x20-\x7e]*$/;
const retryPattern = /^[0-9]{1,9}$/;
const shortBytesMax = 1_024;

/** A line and an event are worth this many bytes of work each, so that a stream of tiny ones ends as one of large ones does. */
const lineWorkBytes = 16;
const eventWorkBytes = 256;

/** An event, or a line of it, is larger than an event may be, or the stream takes more work than its answer is worth. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
}

/**
 * Reads `text/event-stream` bytes (HTML standard, "Server-sent events") however they are split, in time and memory that grow with the
 * bytes alone: lines may end with LF, CR or CRLF, comments and unknown fields are skipped. Line ends never stand inside a UTF-8
 * sequence, so bytes are split before they are decoded.
 */
export class EventStreamParser {
  readonly #eventBytesMax: number;
  /** The work since the stream began, or was worth it. */
  #workBytes = 0;
  /** The line that has not ended. */
  readonly #line = new ByteSink();
  readonly #data = new ByteSink();
  /** The event's one line of data, while it has no other: most events have one, and it is given as it lies in the bytes read. */
  #onlyData: Buffer | undefined;
  #hasData = false;
  #name = "";
  #skipLineFeed = false;
  #atStart = true;
  /** The bytes that are read, and where those begin that were not read yet. */
  #bytes: Buffer = nothing;
  #start = 0;
  /** Each kind of line end is looked for once up to its next place, not once a line. */
  #nextFeed = -1;
  #nextReturn = -1;
  /** Id of the last event that named one a header can carry; empty where none has. What a resumed stream starts after. */
  lastEventId = "";
  /** Milliseconds that the server asks to wait before a stream is resumed. */
  retryMs: number | undefined;

  /**
   * @param eventBytesMax of an event that is not complete: its data and the line that has not ended. Twice as much is what the whole
   * stream may take in work.
   */
  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax;
  }

  /** Bytes of the event that is not complete. */
  get heldBytes(): number {
    return this.#line.length + this.#data.length + (this.#onlyData?.length ?? 0);
  }

  /** The stream has given an answer: the work starts at nothing again. */
  forgetWork(): void {
    this.#workBytes = 0;
  }

  /** The events that these bytes complete. @throws EventTooLarge */
  push(bytes: Buffer): ServerEvent[] {
    const events: ServerEvent[] = [];
    this.give(bytes);
    for (let event = this.next(); event !== undefined; event = this.next()) events.push(event);
    return events;
  }

  /** Gives bytes for {@link next}, which has read those before. @throws EventTooLarge */
  give(bytes: Buffer): void {
    this.#work(bytes.length);
    this.#bytes = bytes;
    this.#start = 0;
    this.#nextFeed = -1;
    this.#nextReturn = -1;
  }

  /** The next event that the given bytes complete; undefined where they are read. @throws EventTooLarge */
  next(): ServerEvent | undefined {
    const bytes = this.#bytes;
    while (this.#start < bytes.length) {
      if (this.#skipsLineFeed()) continue;
      const start = this.#start;
      if (this.#nextFeed < start) this.#nextFeed = placeOf(bytes, lineFeed, start);
      if (this.#nextReturn < start) this.#nextReturn = placeOf(bytes, carriageReturn, start);
      const end = Math.min(this.#nextFeed, this.#nextReturn);
      if (end === Number.POSITIVE_INFINITY) {
        this.#keep(bytes.subarray(start));
        break;
      }
      this.#skipLineFeed = end === this.#nextReturn;
      this.#start = end + 1;
      const event = this.#endLine(bytes.subarray(start, end));
      if (event !== undefined) return event;
    }
    // Data that waits for more must not hold on to the whole read.
    this.#copyData();
    this.#bytes = nothing;
    this.#start = 0;
    return undefined;
  }

  /** The given bytes that were not read yet, where an event may begin with them; for a reader that knows a shorter way. */
  get unread(): Buffer | undefined {
    if (this.#hasData || this.#name !== "" || this.#line.length > 0) return undefined;
    if (this.#start < this.#bytes.length) this.#skipsLineFeed();
    return this.#start < this.#bytes.length ? this.#bytes.subarray(this.#start) : undefined;
  }

  /** Whole events at the beginning of {@link unread} have been read in another way. */
  skip(bytes: number): void {
    this.#start += bytes;
  }

  /** The event that the stream's end left without its empty line, where there is one. */
  end(): ServerEvent | undefined {
    if (this.#line.length > 0) this.#readLine(this.#line.take());
    return this.#takeEvent();
  }

  /** The second byte of a line end, of which the first has ended the line. @returns whether there was one */
  #skipsLineFeed(): boolean {
    const isOne = this.#skipLineFeed && this.#bytes[this.#start] === lineFeed;
    this.#skipLineFeed = false;
    if (isOne) this.#start += 1;
    return isOne;
  }

  #keep(bytes: Buffer): void {
    this.#checkRoom(bytes.length);
    this.#line.append(bytes);
  }

  #checkRoom(more: number): void {
    if (this.heldBytes + more <= this.#eventBytesMax) return;
    throw new EventTooLarge(`an event of more than ${this.#eventBytesMax} bytes`);
  }

  #work(bytes: number): void {
    this.#workBytes += bytes;
    if (this.#workBytes > this.#eventBytesMax * 2) throw new EventTooLarge("a stream of very many small pieces");
  }

  #endLine(end: Buffer): ServerEvent | undefined {
    this.#work(lineWorkBytes);
    let line = end;
    if (this.#line.length > 0) {
      this.#keep(end);
      line = this.#line.take();
    }
    if (line.length === 0) return this.#takeEvent();
    this.#readLine(line);
    return undefined;
  }

  #readLine(given: Buffer): void {
    const line = this.#atStart && given.indexOf(byteOrderMark) === 0 ? given.subarray(byteOrderMark.length) : given;
    this.#atStart = false;
    const colon = colonOf(line);
    if (colon === 0 || (colon === -1 && line.length > fieldNameBytesMax)) return;
    const field = line.toString("latin1", 0, colon === -1 ? line.length : colon);
    const valueStart = colon + (line[colon + 1] === space ? 2 : 1);
    this.#readField(field, colon === -1 ? nothing : line.subarray(valueStart));
  }

  #readField(field: string, value: Buffer): void {
    if (field === "data") {
      this.#checkRoom(value.length + 1);
      if (this.#hasData) {
        this.#copyData();
        this.#data.append(lineEnd);
        this.#data.append(value);
      } else this.#onlyData = value;
      this.#hasData = true;
    } else if (field === "event") this.#name = value.toString("utf8", 0, nameBytesMax);
    else if (field === "id" && isIn(idPattern, value)) this.lastEventId = value.toString("latin1");
    else if (field === "retry" && isIn(retryPattern, value)) this.retryMs = Number(value.toString("latin1"));
  }

  #copyData(): void {
    if (this.#onlyData === undefined) return;
    this.#data.append(this.#onlyData);
    this.#onlyData = undefined;
  }

  #takeEvent(): ServerEvent | undefined {
    const name = this.#name;
    const hasData = this.#hasData;
    const onlyData = this.#onlyData;
    this.#name = "";
    this.#hasData = false;
    this.#onlyData = undefined;
    if (!hasData) return undefined;
    this.#work(eventWorkBytes);
    return { name: name === "" ? "message" : name, data: onlyData ?? this.#data.take() };
  }
}

function colonOf(line: Buffer): number {
  for (let at = 0; at <= fieldNameBytesMax; at += 1) if (line[at] === colonByte) return at;
  return -1;
}

function isIn(pattern: RegExp, value: Buffer): boolean {
  return value.length <= shortBytesMax && pattern.test(value.toString("latin1"));
}

function placeOf(bytes: Buffer, byte: number, start: number): number {
  const at = bytes.indexOf(byte, start);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
