import { joinToolName } from "./tool-name.ts";
import type { ListedTool } from "./tool-shape.ts";
import type { Upstream } from "./upstream.ts";

/** Characters of tools that are encoded at once. */
const pieceLengthMax = 256 * 1024;

/** The tools of one upstream as they are sent, piece by piece. */
export class EncodedTools {
  readonly #tools: readonly ListedTool[];
  readonly #upstream: Upstream;
  #pieces: readonly Buffer[] | undefined;
  /** About the memory that they take. */
  readonly size: number;

  constructor(tools: readonly ListedTool[], upstream: Upstream) {
    this.#tools = tools;
    this.#upstream = upstream;
    this.size = tools.reduce(
      (sum, { definitionText, metadataText }) => sum + definitionText.length + metadataText.length,
      0,
    );
  }

  /** JSON of the tools with the prefix, joined by commas; no piece where there is no tool. Undefined until {@link encode} has ended. */
  get pieces(): readonly Buffer[] | undefined {
    return this.#pieces;
  }

  /** Makes the pieces and keeps them; yields after each of them. */
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

  /** Makes the pieces of the tools whose names, with the prefix, a caller may see, and keeps nothing; yields after each step. */
  *encodeWithin(isReachable: (name: string) => boolean): Generator<void, readonly Buffer[]> {
    const reachable: ListedTool[] = [];
    for (const tool of this.#tools) {
      if (isReachable(joinToolName(this.#upstream.prefix, tool.name))) reachable.push(tool);
      yield;
    }
    return yield* new EncodedTools(reachable, this.#upstream).encode();
  }
}

/** The definition with the prefixed name in place of its first member, and the metadata behind it: nothing is encoded again. */
function encodeTool({ name, definitionText, metadataText }: ListedTool, { prefix, settings }: Upstream): string {
  const rest = definitionText.slice(`{"name":${JSON.stringify(name)}`.length, -1);
  const more = settings.passMetadata && metadataText !== "{}" ? `,${metadataText.slice(1, -1)}` : "";
  return `{"name":${JSON.stringify(joinToolName(prefix, name))}${rest}${more}}`;
}
