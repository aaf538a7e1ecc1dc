import { Pace } from "@gatehouse/pace";
import { joinToolName } from "./tool-name.ts";
import type { ListedTool } from "./tool-shape.ts";
import type { Upstream } from "./upstream.ts";

/** Characters of tools that are encoded at once. */
const pieceLengthMax = 256 * 1024;

/** The tools of one upstream as they are sent, encoded when they are asked for first, piece by piece. */
export class EncodedTools {
  readonly #tools: readonly ListedTool[];
  readonly #upstream: Upstream;
  #encoding: Promise<readonly Buffer[]> | undefined;
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

  /** JSON of the tools with the prefix, joined by commas; no piece where there is no tool. A promise only the first time. */
  get pieces(): readonly Buffer[] | Promise<readonly Buffer[]> {
    this.#encoding ??= this.#encode();
    return this.#pieces ?? this.#encoding;
  }

  /** The same for the tools whose names, with the prefix, a caller may see. Encoded at each call. */
  async piecesWithin(isReachable: (name: string) => boolean): Promise<readonly Buffer[]> {
    const pace = new Pace();
    const reachable: ListedTool[] = [];
    for (const tool of this.#tools) {
      if (isReachable(joinToolName(this.#upstream.prefix, tool.name))) reachable.push(tool);
      if (pace.isDue) await pace.rest();
    }
    return await new EncodedTools(reachable, this.#upstream).pieces;
  }

  async #encode(): Promise<readonly Buffer[]> {
    const pace = new Pace();
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
      if (pace.isDue) await pace.rest();
    }
    this.#pieces = pieces;
    return pieces;
  }
}

/** The definition with the prefixed name in place of its first member, and the metadata behind it: nothing is encoded again. */
function encodeTool({ name, definitionText, metadataText }: ListedTool, { prefix, settings }: Upstream): string {
  const rest = definitionText.slice(`{"name":${JSON.stringify(name)}`.length, -1);
  const more = settings.passMetadata && metadataText !== "{}" ? `,${metadataText.slice(1, -1)}` : "";
  return `{"name":${JSON.stringify(joinToolName(prefix, name))}${rest}${more}}`;
}
