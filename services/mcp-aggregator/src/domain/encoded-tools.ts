import { joinToolName } from "./tool-name.ts";
import type { ListedTool } from "./tool-shape.ts";
import type { Upstream } from "./upstream.ts";

/** Characters of tools encoded at once. */
const pieceLengthMax = 256 * 1024;

/** The tools of one upstream in the form that is sent, in pieces. */
export class EncodedTools {
  readonly #tools: readonly ListedTool[];
  readonly #upstream: Upstream;
  #pieces: readonly Buffer[] | undefined;
  /** Approximate memory. */
  readonly size: number;

  constructor(tools: readonly ListedTool[], upstream: Upstream) {
    this.#tools = tools;
    this.#upstream = upstream;
    this.size = tools.reduce(
      (sum, { definitionText, metadataText }) => sum + definitionText.length + metadataText.length,
      0,
    );
  }

  /** JSON of the tools with the prefix, joined by commas; empty without tools. Undefined until {@link encode} has ended. */
  get pieces(): readonly Buffer[] | undefined {
    return this.#pieces;
  }

  /** Encodes and caches the pieces; yields after each. */
  *encode(): Generator<void, readonly Buffer[]> {
    const pieces: Buffer[] = [];
    let texts: string[] = [];
    let length = 0;
    for (const [index, tool] of this.#tools.entries()) {
      const text = encodeTool(tool, this.#upstream);
      texts.push(index === 0 ? text : `,${text}`);
      length += text.length;
      if (length < pieceLengthMax && index < this.#tools.length - 1) continue;
      pieces.push(Buffer.from(texts.join("")));
      texts = [];
      length = 0;
      yield;
    }
    this.#pieces = pieces;
    return pieces;
  }

  /** Encodes the tools whose prefixed names a caller may see, without caching; yields after each step. */
  *encodeWithin(isReachable: (name: string) => boolean): Generator<void, readonly Buffer[]> {
    const reachable: ListedTool[] = [];
    for (const tool of this.#tools) {
      if (isReachable(joinToolName(this.#upstream.prefix, tool.name))) reachable.push(tool);
      yield;
    }
    return yield* new EncodedTools(reachable, this.#upstream).encode();
  }
}

/** Replaces the name in the definition's text by the prefixed one and appends the metadata, without encoding either again. */
function encodeTool({ name, definitionText, metadataText }: ListedTool, { prefix, settings }: Upstream): string {
  const rest = definitionText.slice(`{"name":${JSON.stringify(name)}`.length, -1);
  const more = settings.passMetadata && metadataText !== "{}" ? `,${metadataText.slice(1, -1)}` : "";
  return `{"name":${JSON.stringify(joinToolName(prefix, name))}${rest}${more}}`;
}
