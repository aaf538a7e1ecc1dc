import { malformed, type PromptVariables } from "@gatehouse/dialects";
import {
  type InspectedText,
  labelText,
  type Masking,
  maskSegmentsInSteps,
  toDocumentsInSteps,
  toUnitsInSteps,
} from "@gatehouse/guardrail-client";
import { encodeJsonInSteps, type JsonObject, type KeptRun, numberText, type WrittenStrings } from "@gatehouse/json";
import type { ChatMessage } from "@gatehouse/providers";
import type { MediaPart } from "./media.ts";
import { messageRoles, messageShape, parametersShape, toolMessageShape } from "./protocol-shape.ts";
import { texts } from "./shape.ts";
import { hasTools, isWholeValue, ToolNames } from "./tool-names.ts";
import { ContentWalk, type ContentVisitor, type Members } from "./walk.ts";

/** Everything sent by a caller that can reach a model. */
export interface RequestContent {
  readonly messages: readonly ChatMessage[];
  /** Values for the endpoint's prompt; their names do not reach a model. */
  readonly variables: PromptVariables;
  readonly parameters?: JsonObject;
  /** Long strings of which more is known than their text. */
  readonly written?: WrittenStrings | undefined;
}

/** Most images, sounds, videos and files of one request. */
export const mediaPartsMax = 1_000;

/**
 * The content in the form that is judged and sent: lone surrogates, which no encoding can carry, become U+FFFD.
 * @throws GatewayError `malformed_body` for a number that cannot be kept exactly, and for too many media.
 */
export function* toSendableInSteps<T extends RequestContent>(content: T): Generator<void, T> {
  if (isPlainChat(content)) return content;
  let mediaCount = 0;
  return yield* mapContent(content, {
    text: (text) => text.toWellFormed(),
    name: (name) => name.toWellFormed(),
    number: (value) => value,
    inexact: refuseInexact,
    media: () => {
      mediaCount += 1;
      if (mediaCount > mediaPartsMax) {
        throw malformed(`Request body must not hold more than ${mediaPartsMax} images, sounds and files.`);
      }
    },
  });
}

function refuseInexact(value: number): never {
  const rest =
    `, which cannot be kept to the digit: numbers must be from ${Number.MIN_SAFE_INTEGER} to ` +
    `${Number.MAX_SAFE_INTEGER}. Send a longer one as a string.`;
  throw malformed(`Request body holds a number of about ${value}${rest}`, `Request body holds a number${rest}`);
}

/** Whether nothing in a content can change: a few messages with only role and text, as in most calls. */
function isPlainChat({ parameters, variables, messages, written }: RequestContent): boolean {
  if (parameters !== undefined || messages.length > stepMessages) return false;
  for (const _name in variables) return false;
  return messages.every((message) => isPlain(message, written));
}

function isPlain(message: ChatMessage, written: WrittenStrings | undefined): boolean {
  for (const name in message) if (name !== "role" && name !== "content") return false;
  const { role, content } = message;
  if (typeof content !== "string" || !role.isWellFormed()) return false;
  return written?.find(content) !== undefined || content.isWellFormed();
}

interface ContentText {
  /** Role of the text's message; `parameter` for parameters, `user` for variables. */
  readonly role: string;
  /** Message (`messages[2]`), `parameters` or `variables`. */
  readonly place: string;
  readonly text: string;
  /** Tool whose arguments or result it is. */
  readonly tool?: string;
  /** Whether it is the value of a member, whose name is the text before it. */
  readonly isNamed?: boolean;
  /** Whether it is no content of its message. */
  readonly isAside?: boolean;
}

/**
 * Every string, number and member name of the content that does not belong to the protocol: first parameters, then variables,
 * then messages. Payloads of media are left out, text files are decoded. Linear.
 * @param seeValue called for arguments and results of tools that are objects or lists
 */
export function* textsOfContentInSteps(
  content: RequestContent,
  seeValue?: (value: ToolValue) => void,
): Generator<void, readonly ContentText[]> {
  const found: ContentText[] = [];
  let role = "";
  let place = "";
  let tool: string | undefined;
  let tools: ToolNames | undefined;
  let isNamed = false;
  const add = (text: string, isOther: boolean) => {
    const isAside = isOther && role !== parameterRole && place !== variablesPlace;
    if (text !== "")
      found.push({
        role,
        place,
        text,
        ...(tool !== undefined && { tool }),
        ...(isNamed && { isNamed }),
        ...(isAside && { isAside }),
      });
    isNamed = false;
  };
  const addName = (name: string) => {
    isNamed = false;
    add(name, true);
    isNamed = name !== "";
  };
  const visitor = {
    text: (text: string, isAside: boolean) => (add(text, isAside), text),
    name: (name: string) => (addName(name), name),
    // Lists and objects begin with one.
    constant: () => void (isNamed = false),
    number: (value: number) => (add(numberText(String(value)), true), value),
    enterTool(owner: Members, member: string) {
      const outer = tool;
      tools ??= new ToolNames(content.messages);
      tool = tools.nameOf(owner, member) ?? outer;
      if (seeValue !== undefined && isWholeValue(owner, member)) seeValue({ role, tool, value: owner[member] });
      return outer;
    },
    leaveTool: (outer: string | undefined) => void (tool = outer),
  };
  yield* mapContent(content, visitor, (nextRole, nextPlace) => {
    role = nextRole;
    place = nextPlace;
  });
  return found;
}

/** Arguments or result of a tool, as an object or a list. */
interface ToolValue {
  readonly role: string;
  readonly tool: string | undefined;
  readonly value: unknown;
}

/** JSON values of the content whose texts are judged one by one, for patterns with a path. Linear. */
export function* documentsOfContentInSteps(content: RequestContent): Generator<void, readonly InspectedText[]> {
  const found: ToolValue[] = [];
  const segments = yield* textsOfContentInSteps(content, (value) => void found.push(value));
  const values: InspectedText[] = [];
  for (const { role, tool, value } of found) {
    const text = yield* encodeJsonInSteps(value);
    values.push(tool === undefined ? { role, text } : { role, text, tool });
  }
  return yield* toDocumentsInSteps({ segments, values });
}

/** The texts to inspect, with the mapping back to the content. */
interface ContentInspection {
  /** Bounded in number: many small texts of one place are joined. */
  readonly texts: readonly InspectedText[];
}

/** Texts of a request in the units that guardrails judge. A generator whose steps take a fraction of a millisecond. */
export function* inspectionOfInSteps(content: RequestContent): Generator<void, ContentInspection> {
  return { texts: plainTextsOf(content) ?? (yield* toUnitsInSteps(yield* textsOfContentInSteps(content))) };
}

/** Texts of a plain chat, each of which is a unit; undefined for other content. */
function plainTextsOf(content: RequestContent): readonly InspectedText[] | undefined {
  if (!isPlainChat(content)) return undefined;
  const texts: InspectedText[] = [];
  for (const { role, content: text } of content.messages) {
    // A role of the caller's is a text as well.
    if (typeof text !== "string" || !messageRoles.has(role)) return undefined;
    if (text !== "") texts.push({ role, text });
  }
  return texts;
}

/**
 * The content with masked texts in their places. A number becomes the text of its label; a masked name becomes the label,
 * numbered if already taken.
 * @throws GatewayError `guardrail_blocked` where a finding cannot be assigned to one of several joined texts.
 */
export function* maskContentInSteps<T extends RequestContent>(content: T, masking: Masking): Generator<void, T> {
  const segments = yield* textsOfContentInSteps(content);
  const replacements = yield* maskSegmentsInSteps(segments, masking);
  if (content.written !== undefined) noteMasked(content.written, yield* toUnitsInSteps(segments), masking);
  return yield* replaceTexts(content, replacements);
}

/** Keeps what no mask has changed of the long strings. */
function noteMasked(
  written: WrittenStrings,
  units: readonly { readonly text: string }[],
  { texts: masked, spans }: Masking,
): void {
  for (const [index, { text }] of units.entries()) {
    const changed = masked[index];
    if (changed === undefined || changed === text || written.find(text) === undefined) continue;
    const runs: KeptRun[] = [];
    let [from, to] = [0, 0];
    for (const span of spans) {
      if (span.textIndex !== index) continue;
      runs.push({ from, to, length: span.start - from });
      to += span.start - from + labelText(span).length;
      from = span.end;
    }
    written.addChanged(text, changed, [...runs, { from, to, length: text.length - from }]);
  }
}

/** The content with texts replaced, in the order of {@link textsOfContentInSteps}. */
function* replaceTexts<T extends RequestContent>(content: T, replacements: readonly string[]): Generator<void, T> {
  let index = 0;
  const next = () => {
    const text = replacements[index++];
    if (text === undefined) throw new Error("There are fewer texts than the content has.");
    return text;
  };
  return yield* mapContent(content, {
    text: (text) => (text === "" ? text : next()),
    name: (name) => (name === "" ? name : next()),
    number(value) {
      const text = next();
      return text === numberText(String(value)) ? value : text;
    },
  });
}

interface ContentMeasure {
  /** UTF-8 bytes of everything except media payloads: texts, numbers, names, and the protocol's values. */
  readonly textBytes: number;
  /** Names and values of every kind, each of which may add framing. */
  readonly values: number;
  readonly media: readonly MediaPart[];
}

/** Measures content without copying. Linear. */
export function* measureContentInSteps(content: Partial<RequestContent>): Generator<void, ContentMeasure> {
  let textBytes = 0;
  let values = 0;
  const media: MediaPart[] = [];
  const { written } = content;
  const add = (text: string) => {
    textBytes += written?.find(text)?.textBytes ?? Buffer.byteLength(text);
    values += 1;
  };
  yield* mapContent(
    { messages: [], variables: {}, ...content },
    {
      text: (text) => (add(text), text),
      name: (name) => (add(name), name),
      number: (value) => (add(String(value)), value),
      constant: add,
      media: (part) => void media.push(part),
    },
  );
  return { textBytes, values, media };
}

const stepMessages = 64;

const parameterRole = "parameter";
const variablesPlace = "variables";
const variablesShape = { isName: () => true, others: texts };

/** Walks the content in its fixed order. Unchanged parts stay the same object. @param enter called before each place is walked. */
function* mapContent<T extends RequestContent>(
  content: T,
  visitor: ContentVisitor,
  enter?: (role: string, place: string) => void,
): Generator<void, T> {
  const { parameters, variables, messages } = content;
  const walk = new ContentWalk(visitor);
  enter?.(parameterRole, "parameters");
  const newParameters = parameters && (yield* walk.inSteps(parameters, parametersShape));
  enter?.("user", variablesPlace);
  const newVariables = yield* walk.inSteps(variables, variablesShape);
  let newMessages: ChatMessage[] | undefined;
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined) continue;
    enter?.(message.role, `messages[${index}]`);
    const walked = yield* walk.inSteps(message, hasTools(message) ? toolMessageShape : messageShape);
    if (walked !== message) (newMessages ??= [...messages])[index] = walked;
    if (index % stepMessages === stepMessages - 1) yield;
  }
  if (newParameters === parameters && newVariables === variables && newMessages === undefined) return content;
  const parts = { ...content, variables: newVariables, messages: newMessages ?? messages };
  return newParameters === undefined ? parts : { ...parts, parameters: newParameters };
}
