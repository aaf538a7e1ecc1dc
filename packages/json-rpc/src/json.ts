export { isJsonObject, type JsonObject } from "@gatehouse/json";

/** At most `lengthMax` code points of a caller's text, to quote in a message. */
export function excerpt(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${Array.from(text.slice(0, lengthMax * 2))
    .slice(0, lengthMax)
    .join("")}…`;
}

/** Length from which a text is kept as encoded bytes. */
const largeTextLengthMin = 64 * 1024;

/** JSON text to send unchanged; encoded once, even if sent often. */
export class JsonText {
  #text: string | undefined;
  #pieces: readonly Buffer[] | undefined;

  /** @param json text, or its UTF-8 bytes, possibly in pieces */
  constructor(json: string | Buffer | readonly Buffer[]) {
    if (typeof json === "string") this.#text = json;
    else this.#pieces = Buffer.isBuffer(json) ? [json] : json;
  }

  get text(): string {
    this.#text ??= Buffer.concat(this.#pieces ?? []).toString("utf8");
    return this.#text;
  }

  get pieces(): readonly Buffer[] {
    this.#pieces ??= [Buffer.from(this.#text ?? "")];
    return this.#pieces;
  }

  get isLarge(): boolean {
    const length = this.#text?.length ?? this.pieces.reduce((sum, piece) => sum + piece.length, 0);
    return length >= largeTextLengthMin;
  }
}
