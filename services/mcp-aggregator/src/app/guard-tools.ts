import { GatewayError, isGatewayError } from "@gatehouse/errors";
import {
  type GuardrailClient,
  type GuardrailQuestion,
  type GuardrailRecord,
  type JsonTexts,
  type Judgement,
  maskingOf,
  PlaceholderValues,
  recordAnswer,
  type Rewriting,
  rewriteSegmentsInSteps,
  samplePointOf,
  type Segment,
  type Side,
  toDocumentsInSteps,
  toUnitsInSteps,
  type Unit,
} from "@gatehouse/guardrail-client";
import {
  jsonBounds,
  type JsonPart,
  JsonRefusal,
  OutlineReader,
  type OutlineSpec,
  parseJsonInSteps,
  readTextTokensInSteps,
  replaceTextTokensInSteps,
  type TextToken,
} from "@gatehouse/json";
import { runSized } from "@gatehouse/pace";
import type { McpRequest } from "./aggregating-server.ts";

/** Bytes of the arguments of a call, or of its result, that are judged: as many as a body has. More is refused under a policy. */
const judgedBytesMax = 4 * 1024 * 1024;
/** Strings, names and numbers of the same. */
const judgedTextsMax = 50_000;
/** Bounds for arguments: the number of texts alone, since the rest was checked when they were read. */
const judgedBounds = { ...jsonBounds, membersMax: jsonBounds.valuesMax };
/** Larger arguments are not read before it is known that there is a policy. */
const readAtOnceBytesMax = 64 * 1024;
/** Bytes of masked JSON that are outlined in one step: a fraction of a millisecond. */
const stepBytes = 16 * 1_024;
/** Members needed of params, and of a result, once some of it was masked. */
const guardedSpec: OutlineSpec = { members: { _meta: { members: {} } } };

/** The guardrails' result for one side of a call, for the log and the audit log; never a text. */
export interface GuardedSide {
  readonly request: McpRequest;
  readonly side: Side;
  /** With its prefix. */
  readonly tool: string;
}

/** The part of one side of a call that may go on, and whether its result is judged as well. */
export interface Guarded {
  readonly part: JsonPart;
  readonly judgesResult: boolean;
  /** Values to be put back into the result, behind the placeholders that the part has in their place. */
  readonly values?: PlaceholderValues;
}

/**
 * Holds the arguments and results of tools against the project's policy, where it covers MCP. What is judged is every string, name
 * and number of the JSON text as it stands, and the same bytes go on, but for what is masked; arguments with keys that parsers
 * read differently are refused. So no parser reads anything else out of them.
 */
export class ToolGuard {
  readonly #client: GuardrailClient;
  readonly #record: GuardrailRecord<GuardedSide>;

  constructor(client: GuardrailClient, record: GuardrailRecord<GuardedSide>) {
    this.#client = client;
    this.#record = record;
  }

  /**
   * @param values of the arguments, for the result
   * @returns the part as it may go on.
   * @throws GatewayError `guardrail_blocked`; `unavailable` where the guardrails cannot be reached and the policy does not say that
   * calls go on.
   */
  async judge(part: JsonPart, place: GuardedSide, values?: PlaceholderValues): Promise<Guarded> {
    if (part.size > readAtOnceBytesMax && place.side === "input") {
      const none = await this.#ask(place, { texts: () => [] });
      if (none === undefined) return { part, judgesResult: false };
    }
    let texts: Texts | undefined;
    const read = function* (): Generator<void, readonly Unit[]> {
      texts = yield* readTexts(part, place.side);
      return yield* toUnitsInSteps(texts.segments);
    };
    const judgement = await this.#ask(place, {
      texts: () => runSized(read(), part.size),
      documents: () => runSized(toDocumentsInSteps(wholeValues(part, place.side, texts)), part.size),
    });
    if (judgement !== undefined && place.side === "input") await runSized(checkKeys(part), part.size);
    const changes = { masking: maskingOf(judgement), values };
    const rewritten = texts === undefined ? part : await runSized(rewritePart(part, texts, changes), part.size);
    const { outputCheck = "none", placeholders = [] } = judgement ?? {};
    const judgesResult = outputCheck !== "none";
    if (placeholders.length === 0) return { part: rewritten, judgesResult };
    return { part: rewritten, judgesResult, values: new PlaceholderValues(placeholders) };
  }

  async #ask(place: GuardedSide, { texts, documents }: Asked): Promise<Judgement | undefined> {
    const { request, side } = place;
    const answer = await this.#client.inspect({
      projectUuid: request.principal.project.uuid,
      endpointUuid: undefined,
      surface: "mcp",
      side,
      texts: () => withTool(texts(), place.tool),
      ...(documents && { documents: () => withTool(documents(), place.tool) }),
      context: () => ({
        tokenId: request.principal.tokenId,
        surface: "mcp",
        models: [],
        headers: {},
        samplePoint: samplePointOf(request.requestId),
        requestId: request.requestId,
      }),
      signal: request.signal,
      traceparent: request.traceparent === "" ? undefined : request.traceparent,
    });
    const judged = await recordAnswer(answer, place, this.#record, "project");
    if (isGatewayError(judged)) throw judged;
    return judged;
  }
}

type Asked = Pick<GuardrailQuestion, "texts" | "documents">;

/** Members of params, and of a result or an error, that are the value of a call. */
const valueMembers: Readonly<Record<Side, readonly string[]>> = {
  input: ["arguments"],
  output: ["structuredContent", "data"],
};

/** Values in which a pattern's path names something. */
function wholeValues({ members }: JsonPart, side: Side, texts: Texts | undefined): JsonTexts {
  const values = valueMembers[side].flatMap((name) => members?.get(name)?.text ?? []);
  return { segments: texts?.segments ?? [], values: values.map((text) => ({ role: roleOf(side), text })) };
}

/** Orders to a model have no place in a result, which its caller's model reads. */
function roleOf(side: Side): string {
  return side === "input" ? "parameter" : "tool";
}

/** Rules of a policy may name tools. */
function withTool(texts: ReturnType<GuardrailQuestion["texts"]>, tool: string): ReturnType<GuardrailQuestion["texts"]> {
  if (texts instanceof Promise) return texts.then((late) => late.map((entry) => ({ ...entry, tool })));
  return texts.map((entry) => ({ ...entry, tool }));
}

/** Masks and values are strings in place of strings and numbers, so that the text is JSON as before. */
function* rewritePart(part: JsonPart, { tokens, segments }: Texts, changes: Rewriting): Generator<void, JsonPart> {
  if (changes.masking === undefined && changes.values === undefined) return part;
  const json = yield* replaceTextTokensInSteps(part.bytes, tokens, yield* rewriteSegmentsInSteps(segments, changes));
  const bounds = { ...jsonBounds, valuesMax: json.length, membersMax: json.length, keyLengthMax: json.length };
  const reader = new OutlineReader(json, guardedSpec, bounds);
  for (let part = reader.read(stepBytes); ; part = reader.read(stepBytes)) {
    if (part !== undefined) return part;
    yield;
  }
}

interface Texts {
  readonly tokens: readonly TextToken[];
  readonly segments: readonly Segment[];
}

/** Small neighbours are joined, as in the parameters of a chat request; see `Segment`. @throws GatewayError `guardrail_blocked` */
function* readTexts(part: JsonPart, side: Side): Generator<void, Texts> {
  const what = side === "input" ? "the arguments" : "the result";
  if (part.size > judgedBytesMax) throw refused(`${what} must not have more than ${judgedBytesMax} bytes`);
  try {
    const tokens = yield* readTextTokensInSteps(part.bytes, judgedTextsMax);
    const role = roleOf(side);
    return { tokens, segments: tokens.map(({ text }) => ({ role, place: side, text, isJoinable: true })) };
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    throw refused(`${what} ${err.clause}`);
  }
}

/** Keys that parsers read differently would be judged as one thing and used as another. @throws GatewayError `guardrail_blocked` */
function* checkKeys(part: JsonPart): Generator<void, void> {
  try {
    yield* parseJsonInSteps(part.text, { bounds: judgedBounds, keys: "unambiguous" });
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    throw refused(`the arguments ${err.clause}`);
  }
}

function refused(problem: string): GatewayError {
  return new GatewayError("guardrail_blocked", `Request blocked: under this project's guardrails ${problem}.`);
}
