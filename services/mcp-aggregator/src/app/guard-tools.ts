import { lazySignalOf } from "@gatehouse/async";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import {
  CallContext,
  type GuardrailClient,
  type GuardrailQuestion,
  type GuardrailRecord,
  type JsonTexts,
  type Judgement,
  maskingOf,
  recordAnswer,
  type Rewriting,
  rewriteSegmentsInSteps,
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
import { PlaceholderValues } from "@gatehouse/placeholders";
import type { McpRequest } from "./aggregating-server.ts";

/**
 * Bytes of the arguments of a call, or of its result, that are judged; equal to the bound of bodies. Larger ones are refused
 * under a policy.
 */
const judgedBytesMax = 4 * 1024 * 1024;
/** Strings, names and numbers in them. */
const judgedTextsMax = 50_000;
/** Bounds for arguments: only the number of texts, since the rest was checked when they were parsed. */
const judgedBounds = { ...jsonBounds, membersMax: jsonBounds.valuesMax };
/** Larger arguments are parsed only once a policy is known to exist. */
const readAtOnceBytesMax = 64 * 1024;
/** Bytes of masked JSON that are outlined in one step: a fraction of a millisecond. */
const stepBytes = 16 * 1_024;
/** Members of masked params and results that are read. */
const guardedSpec: OutlineSpec = { members: { _meta: { members: {} } } };

/** One side of a call for the log and the audit log; contains no text. */
export interface GuardedSide {
  readonly request: McpRequest;
  readonly side: Side;
  /** With its prefix. */
  readonly tool: string;
}

/** The part of one side of a call that may go on, and whether the result must be judged. */
export interface Guarded {
  readonly part: JsonPart;
  readonly judgesResult: boolean;
  /** Values of the part's placeholders, to restore in the result. */
  readonly values?: PlaceholderValues;
}

/**
 * Judges arguments and results of tools by the project's policy, if it covers MCP. Judges every string, name and number of the
 * JSON text, and forwards the same bytes except for masks. Refuses arguments with keys that parsers read differently, so that no
 * parser can read anything else.
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
   * @returns the part that may go on
   * @throws GatewayError `guardrail_blocked`; `unavailable` where the guardrails are unreachable, unless the policy lets calls go
   * on
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
      context: () =>
        new CallContext({ tokenId: request.principal.tokenId, surface: "mcp", requestId: request.requestId }),
      abort: lazySignalOf(request.signal),
      traceparent: request.traceparent === "" ? undefined : request.traceparent,
    });
    const judged = await recordAnswer(answer, place, this.#record, "project");
    if (isGatewayError(judged)) throw judged;
    return judged;
  }
}

type Asked = Pick<GuardrailQuestion, "texts" | "documents">;

/** Members of params, results and errors that contain the value of a call. */
const valueMembers: Readonly<Record<Side, readonly string[]>> = {
  input: ["arguments"],
  output: ["structuredContent", "data"],
};

/** Values to which a pattern's path can refer. */
function wholeValues({ members }: JsonPart, side: Side, texts: Texts | undefined): JsonTexts {
  const values = valueMembers[side].flatMap((name) => members?.get(name)?.text ?? []);
  return { segments: texts?.segments ?? [], values: values.map((text) => ({ role: roleOf(side), text })) };
}

/** Role of a side's texts: orders to a model are suspicious in a result, which the caller's model reads. */
function roleOf(side: Side): string {
  return side === "input" ? "parameter" : "tool";
}

/** Adds the tool's name, which rules of a policy may use. */
function withTool(texts: ReturnType<GuardrailQuestion["texts"]>, tool: string): ReturnType<GuardrailQuestion["texts"]> {
  if (texts instanceof Promise) return texts.then((late) => late.map((entry) => ({ ...entry, tool })));
  return texts.map((entry) => ({ ...entry, tool }));
}

/** Replaces strings and numbers by strings, so that the text stays JSON. */
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

/**
 * Joins small neighbouring texts, as in the parameters of a chat request; see `Segment`. @throws GatewayError `guardrail_blocked`
 */
function* readTexts(part: JsonPart, side: Side): Generator<void, Texts> {
  const what = side === "input" ? "the arguments" : "the result";
  if (part.size > judgedBytesMax) throw refused(`${what} must not have more than ${judgedBytesMax} bytes`);
  try {
    const tokens = yield* readTextTokensInSteps(part.bytes, judgedTextsMax);
    const role = roleOf(side);
    return {
      tokens,
      segments: tokens.map(({ text, isNamed }) => ({ role, place: side, text, isNamed, isJoinable: true })),
    };
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    throw refused(`${what} ${err.clause}`);
  }
}

/**
 * Refuses keys that parsers read differently, which would be judged as one value and used as another. @throws GatewayError
 * `guardrail_blocked`
 */
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
