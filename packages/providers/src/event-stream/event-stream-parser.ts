/** Longest line of an event stream, bytes: a chunk that holds a picture as base64 still fits. */
const lineBytesMax = 8 * 1024 * 1024;

export interface ServerEvent {
  /** The `event` field; "message" where there is none. */
  readonly name: string;
  /** The `data` fields, joined by line feeds. */
  readonly data: string;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Reads `text/event-stream` bytes (HTML standard, "Server-sent events") however they are split: lines may end with LF, CR
 * or CRLF, comments and unknown fields are skipped. Line ends never stand inside a UTF-8 sequence, so whole lines are
 * decoded at a time and the rest waits as bytes.
 */
export class EventStreamParser {
  readonly #lineBytesMax: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #skipLineFeed = false;
  #atStart = true;
  #name = "";
  #data: string | undefined;

  constructor(options: { readonly lineBytesMax?: number } = {}) {
    this.#lineBytesMax = options.lineBytesMax ?? lineBytesMax;
  }

  /** The events that these bytes complete. @throws RangeError when a line is too long. */
  push(bytes: Buffer): ServerEvent[] {
    const end = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
    if (end === 0) {
      this.#keep(bytes);
      return [];
    }
    const lines = this.#decode(bytes.subarray(0, end));
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    return this.#readLines(lines);
  }

  /** The event that the stream's end left without its empty line, where there is one. */
  end(): ServerEvent | undefined {
    const rest = this.#rest.length === 0 ? "" : this.#decode(Buffer.alloc(0));
    if (rest !== "") this.#readLine(rest);
    return this.#takeEvent();
  }

  #keep(bytes: Buffer): void {
    this.#restBytes += bytes.length;
    if (this.#restBytes > this.#lineBytesMax) throw new RangeError(`a line of more than ${this.#lineBytesMax} bytes`);
    this.#rest.push(bytes);
  }

  #decode(bytes: Buffer): string {
    let text: string;
    if (this.#rest.length === 0) text = bytes.toString("utf8");
    else {
      text = Buffer.concat([...this.#rest, bytes]).toString("utf8");
      this.#rest = [];
      this.#restBytes = 0;
    }
    if (this.#atStart) {
      this.#atStart = false;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    return text;
  }

  #readLines(text: string): ServerEvent[] {
    let lines = text;
    if (this.#skipLineFeed && lines.startsWith("\n")) lines = lines.slice(1);
    this.#skipLineFeed = text.endsWith("\r");
    if (lines.includes("\r")) lines = lines.replace(/\r\n?/g, "\n");
    const events: ServerEvent[] = [];
    let start = 0;
    for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", start)) {
      if (end > start) this.#readLine(lines.slice(start, end));
      else {
        const event = this.#takeEvent();
        if (event !== undefined) events.push(event);
      }
      start = end + 1;
    }
    return events;
  }

  #readLine(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (field === "data") this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (field === "event") this.#name = value;
  }

  #takeEvent(): ServerEvent | undefined {
    const data = this.#data;
    const name = this.#name;
    this.#data = undefined;
    this.#name = "";
    return data === undefined ? undefined : { name: name === "" ? "message" : name, data };
  }
}
