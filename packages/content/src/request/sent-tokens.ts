import type { JsonObject, WrittenStrings } from "@gatehouse/json";
import { runInSlices } from "@gatehouse/pace";
import type { ChatMessage } from "@gatehouse/providers";
import type { TokenCounter } from "@gatehouse/tokens";
import type { MediaPart } from "./media.ts";
import { measureContentInSteps, type RequestContent, textsOfContentInSteps } from "./request-content.ts";

/** Content that a call sends to a provider: messages with prompt and history, and all parameters. */
export interface SentContent {
  readonly messages: readonly ChatMessage[];
  readonly parameters: JsonObject;
  /** Long strings of which more is known than their text. */
  readonly written?: WrittenStrings | undefined;
}

/** Tokens for a message's frame and role, and the start of the answer (OpenAI cookbook, "How to count tokens"). */
const tokensPerMessage = 4;
const tokensPerAnswer = 3;
/** Most tokens of the hidden prompt for tools (Anthropic, "Tool use pricing"). */
const tokensForTools = 700;

/** Tokens assumed for one image, sound, video or file: the typical cost, and the highest. */
export const mediaTokens = {
  imageLowDetail: 85,
  imageLowDetailMax: 3_000,
  /** Two tiles by four, at OpenAI's price of a tile. */
  image: 1_105,
  /** Tokens of an image for the model with the highest count (gpt-4o-mini: 2,833, and 5,667 for each tile). */
  imageMax: 50_000,
  soundBytesPerToken: 500,
  soundMin: 100,
  fileMin: 1_500,
  fileBytesPerToken: 10,
  /** A hundred pages, each as text and as an image. */
  fileMax: 250_000,
} as const;

/** Upper bound of a call's tokens without a tokenizer, since none makes more tokens than bytes. Linear. */
export async function sentTokensMax(sent: SentContent): Promise<number> {
  const { textBytes, media } = await runInSlices(measureContentInSteps(withoutVariables(sent)));
  return framingOf(sent) + textBytes + sumOf(media, mediaTokensMaxOf);
}

/** Tokens of everything that a call sends: texts by a tokenizer, media by their kind and size. @throws as the counter. */
export async function countSentTokens(
  sent: SentContent,
  counter: Pick<TokenCounter, "ofTexts">,
  scope: Parameters<TokenCounter["ofTexts"]>[1] = {},
): Promise<number> {
  const content = withoutVariables(sent);
  const { media } = await runInSlices(measureContentInSteps(content));
  const found = await runInSlices(textsOfContentInSteps(content));
  const texts = found.map(({ text }) => text);
  return framingOf(sent) + sumOf(media, mediaTokensOf) + (await counter.ofTexts(texts, scope));
}

/** Variables are in the prompt already. */
function withoutVariables({ messages, parameters, written }: SentContent): RequestContent {
  return { messages, parameters, variables: {}, written };
}

function framingOf({ messages, parameters: { tools, functions } }: SentContent): number {
  const hasTools = [tools, functions].some((list) => Array.isArray(list) && list.length > 0);
  return tokensPerAnswer + tokensPerMessage * messages.length + (hasTools ? tokensForTools : 0);
}

function sumOf(media: readonly MediaPart[], tokensOf: (part: MediaPart) => number): number {
  return media.reduce((sum, part) => sum + tokensOf(part), 0);
}

function mediaTokensOf({ kind, detail, sizeBytes }: MediaPart): number {
  if (kind === "image") return detail === "low" ? mediaTokens.imageLowDetail : mediaTokens.image;
  if (kind === "file") return Math.max(mediaTokens.fileMin, Math.ceil(sizeBytes / mediaTokens.fileBytesPerToken));
  return Math.max(mediaTokens.soundMin, Math.ceil(sizeBytes / mediaTokens.soundBytesPerToken));
}

function mediaTokensMaxOf(part: MediaPart): number {
  if (part.kind !== "image") return Math.max(mediaTokensOf(part), mediaTokens.fileMax);
  return part.detail === "low" ? mediaTokens.imageLowDetailMax : mediaTokens.imageMax;
}
