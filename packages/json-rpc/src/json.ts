export { isJsonObject, type JsonObject } from "@gatehouse/json";

/** At most `lengthMax` code points of a caller's text, for quoting it in a message. */
export function excerpt(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${Array.from(text.slice(0, lengthMax * 2))
    .slice(0, lengthMax)
    .join("")}…`;
}

/** From this length on a text is worth being sent as the bytes that it was encoded to before. */
const largeTextLengthMin = 64 * 1024;

/** A value that is JSON text already, and is sent as it is. Where it is sent again and again, it is encoded once. */
export class JsonText {
  #text: string | undefined;
  #pieces: readonly Buffer[] | undefined;

  /** @param json the text, or its bytes in UTF-8, which may come in pieces. */
  constructor(json: string | Buffer | readonly Buffer[]) {
    if (typeof json === "string") this.#text = json;
    else this.#pieces = Buffer.isBuffer(json) ? [json] : json;
  }

  get text(): string {
    this.#text ??= Buffer.concat(this.#pieces ?? []).toString("utf8");
    return this.#text;
  }

  /** The text in UTF-8. */
  get pieces(): readonly Buffer[] {
    this.#pieces ??= [Buffer.from(this.#text ?? "")];
    return this.#pieces;
  }

  get isLarge(): boolean {
    const length = this.#text?.length ?? this.pieces.reduce((sum, piece) => sum + piece.length, 0);
    return length >= largeTextLengthMin;
  }
}
