import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { JsonPart } from "@gatehouse/json";
import { excerpt, JsonRpcError, jsonRpcErrorCodes, JsonText } from "@gatehouse/json-rpc";
import { type FreeLists, type McpCaller, type McpServer, type McpToolCall, unknownTool } from "@gatehouse/mcp";
import { runInSlices } from "@gatehouse/pace";
import { isToolReachLimited, mayReachTool } from "@gatehouse/principal";
import type { Tracing } from "@gatehouse/telemetry";
import type { EncodedTools } from "../domain/encoded-tools.ts";
import { addHop } from "../domain/hops.ts";
import { type Answer, type AnswerError, isServerDefined } from "../domain/json-rpc-answer.ts";
import type { Snapshot } from "../domain/listing.ts";
import { splitToolName } from "../domain/tool-name.ts";
import { toCallerError, UpstreamFailure } from "../domain/upstream-failure.ts";
import { isToolAllowed } from "../domain/upstream-settings.ts";
import type { Guarded, ToolGuard } from "./guard-tools.ts";
import type { ProjectUpstreams } from "./upstream-registry.ts";
import type { RuntimeCall, UpstreamRuntime } from "./upstream-runtime.ts";

/** Caller of an HTTP request, with the id and the params of its JSON-RPC request, which upstreams get as they were received. */
export interface McpRequest extends McpCaller {
  /** Value of the hops header. */
  readonly hopsHeader: string | string[] | undefined;
  /** Empty without tracing. */
  readonly traceparent: string;
  /** The id of the request as JSON text; undefined for the HTTP request as a whole. */
  readonly id: string | undefined;
  /** Params as received; undefined: none. */
  readonly params: JsonPart | undefined;
}

interface GatewayOptions {
  /** The product's name; ` MCP Gateway` is appended. */
  readonly serviceName: string;
  readonly find: (projectUuid: string) => ProjectUpstreams | Promise<ProjectUpstreams>;
  /**
   * Counts a call, or a list that is not free, against the rate limits of project and token. @throws GatewayError `rate_limited`
   */
  readonly count: (request: McpRequest) => Promise<void>;
  readonly lists: FreeLists;
  readonly guard: Pick<ToolGuard, "judge">;
  readonly tracing: Tracing;
  /** Bound of one listing of all upstreams, milliseconds. */
  readonly listTotalTimeoutMs: number;
}

/** Gateway mode: serves the tools of a project's upstreams as one MCP server. */
export class AggregatingServer implements McpServer<McpRequest> {
  readonly name: string;
  readonly #options: GatewayOptions;
  /** The last list reply of each project, with its parts. */
  readonly #joined = new WeakMap<ProjectUpstreams, JoinedTools>();
  /** Encodings in progress. */
  readonly #encodings = new WeakMap<EncodedTools, Promise<readonly Buffer[]>>();

  constructor(options: GatewayOptions) {
    this.name = `${options.serviceName} MCP Gateway`;
    this.#options = options;
  }

  /**
   * Lists the tools of all upstreams, in the order of registration. @throws GatewayError `upstream_unreachable` where every
   * upstream fails and none is cached, since an empty list would mean that there are no tools
   */
  async listTools(request: McpRequest): Promise<JsonText> {
    const hops = requireHops(request);
    const { lists, count, find } = this.#options;
    const { principal } = request;
    if (!lists.take(principal.tokenId)) await count(request);
    const upstreams = await find(principal.project.uuid);
    const listings = upstreams.ordered.map((runtime) => runtime.list(hops, this.#options.listTotalTimeoutMs));
    const snapshots: (Snapshot | undefined)[] = [];
    // The listings run concurrently; cached ones cost no turn of the microtask queue.
    for (const listing of listings) snapshots.push(listing instanceof Promise ? await listing : listing);
    const known = snapshots.filter((snapshot) => snapshot !== undefined);
    if (known.length === 0 && snapshots.length > 0) {
      throw new GatewayError("upstream_unreachable", "None of this project's upstream MCP servers can be reached.");
    }
    const encoded: (readonly Buffer[])[] = [];
    const isLimited = isToolReachLimited(principal);
    const isReachable = (name: string) => mayReachTool(principal, name);
    for (const { encoded: tools } of known) {
      if (isLimited) encoded.push(await runInSlices(tools.encodeWithin(isReachable)));
      else encoded.push(tools.pieces ?? (await this.#encode(tools)));
    }
    return isLimited ? toReply(encoded) : this.#join(upstreams, encoded);
  }

  /** Shares one encoding of each listing among concurrent callers. */
  async #encode(tools: EncodedTools): Promise<readonly Buffer[]> {
    const encoding = this.#encodings.get(tools) ?? runInSlices(tools.encode());
    this.#encodings.set(tools, encoding);
    return await encoding;
  }

  async callTool(call: McpToolCall, request: McpRequest): Promise<JsonText> {
    const hops = requireHops(request);
    const { project, tokenId } = request.principal;
    if (!mayReachTool(request.principal, call.name)) throw unknownTool(call.name);
    const found = splitToolName(call.name);
    const upstreams = await this.#options.find(project.uuid);
    const runtime = found && upstreams.byPrefix.get(found.prefix);
    if (found === undefined || runtime === undefined) throw unknownTool(call.name);
    await checkPolicy(runtime, found.rest, call.name, hops);
    try {
      const { count, guard } = this.#options;
      await count(request);
      const side = { request, tool: call.name };
      const given = await guard.judge(requireParams(request), { ...side, side: "input" });
      const params = given.part.members ?? new Map<string, JsonPart>();
      const target = { id: request.id, params, name: found.rest, tokenId, signal: request.signal, hops };
      const answer = await this.#traced(runtime, target, request);
      if (!given.judgesResult) return toResult(runtime, answer);
      const ofResult = { ...side, side: "output" } as const;
      const judged = await judgeAnswer(answer, async (part) => await guard.judge(part, ofResult, given.values));
      return toResult(runtime, judged);
    } catch (err) {
      if (err instanceof UpstreamFailure) throw toCallerError(found.prefix, err);
      throw err;
    }
  }

  async #traced(
    runtime: UpstreamRuntime,
    target: Omit<RuntimeCall, "traceparent">,
    { traceparent: parent }: McpRequest,
  ): Promise<Answer> {
    const attributes = { "gatehouse.upstream": runtime.upstream.prefix, "gatehouse.tool": target.name };
    const span = this.#options.tracing.start("mcp upstream", { kind: "client", parent, attributes });
    try {
      const answer = await runtime.call({ ...target, traceparent: span.traceparent ?? "" });
      span.end();
      return answer;
    } catch (err) {
      span.end(err);
      throw err;
    }
  }

  /** Reuses the last reply while its parts are unchanged. */
  #join(upstreams: ProjectUpstreams, encoded: readonly (readonly Buffer[])[]): JsonText {
    const last = this.#joined.get(upstreams);
    if (last?.encoded.length === encoded.length && encoded.every((pieces, index) => pieces === last.encoded[index])) {
      return last.reply;
    }
    const reply = toReply(encoded);
    this.#joined.set(upstreams, { encoded, reply });
    return reply;
  }
}

const comma = Buffer.from(",");

function toReply(encoded: readonly (readonly Buffer[])[]): JsonText {
  const pieces = encoded.filter(({ length }) => length > 0).flatMap((some) => [comma, ...some]);
  return new JsonText([Buffer.from('{"tools":['), ...pieces.slice(1), Buffer.from("]}")]);
}

/** The last list reply of a project. */
interface JoinedTools {
  readonly encoded: readonly (readonly Buffer[])[];
  readonly reply: JsonText;
}

function requireHops({ hopsHeader, principal }: McpRequest): string {
  const hops = addHop(hopsHeader, principal.project.uuid);
  if (hops !== undefined) return hops;
  throw new GatewayError(
    "upstream_unreachable",
    "This request has come through this project before: an upstream leads back to it.",
  );
}

/**
 * Gives hidden names the answer of unknown ones.
 * @param name without the prefix
 */
async function checkPolicy(runtime: UpstreamRuntime, name: string, fullName: string, hops: string): Promise<void> {
  const { settings } = runtime.upstream;
  if (!isToolAllowed(name, settings)) throw unknownTool(fullName);
  if (settings.onToolsChanged !== "block") return;
  const pinState = await runtime.pinStateOf(name, hops);
  if (pinState === "approved") return;
  if (pinState === "unknown") throw unknownTool(fullName);
  throw invalidArgument(`Tool '${excerpt(fullName, 200)}' is blocked: ${blockReasons[pinState]}.`);
}

const blockReasons = {
  changed: "its definition has changed and waits for approval",
  unlisted: "its upstream does not list it, so that its definition cannot be compared with the approved one",
  unpinned: "its definition is new and could not be saved yet; try again",
} as const;

/** A call without params names no tool. */
function requireParams({ params }: McpRequest): JsonPart {
  if (params === undefined) throw new TypeError("The params of a call were not kept.");
  return params;
}

/** Judges a result, or the text of an error, by the policy. */
async function judgeAnswer(answer: Answer, judge: (part: JsonPart) => Promise<Guarded>): Promise<Answer> {
  if (answer.kind === "result") return { kind: "result", result: (await judge(answer.result)).part };
  const { code, message, data } = answer.error;
  const words = new Map([["message", JsonPart.known(JSON.stringify(message), "string")]]);
  if (data !== undefined) words.set("data", JsonPart.known(data.text, "object"));
  const { part } = await judge(JsonPart.object(words));
  const judged = part.members?.get("data");
  return {
    kind: "error",
    error: {
      code,
      message: part.members?.get("message")?.asString(Number.MAX_SAFE_INTEGER) ?? "",
      ...(judged === undefined ? {} : { data: new JsonText(judged.bytes) }),
    },
  };
}

const quotedLengthMax = 500;
/** Deeper nesting exceeds other parsers' bounds. */
const resultLevelsMax = 128;

/** Passes on the upstream's result with `isError` filled in, and its errors by the rules of docs/mcp-gateway.md. */
function toResult({ upstream }: UpstreamRuntime, answer: Answer): JsonText {
  if (answer.kind === "error") throw toJsonRpcError(upstream.prefix, answer.error);
  const { result } = answer;
  const { members } = result;
  if (members === undefined) throw new UpstreamFailure("malformed", { detail: "a result that is not an object" });
  if (result.depth > resultLevelsMax) {
    throw new UpstreamFailure("malformed", {
      detail: `a result that is nested more than ${resultLevelsMax} levels deep`,
    });
  }
  const isError = members.get("isError");
  if (isError !== undefined && !isError.isNull && !result.hasEqualKeys) return new JsonText(result.bytes);
  const completed = isError === undefined || isError.isNull ? new Map([...members, ["isError", no]]) : members;
  return new JsonText(JsonPart.object(completed).bytes);
}

const no = JsonPart.known("false", "literal");

function toJsonRpcError(prefix: string, error: AnswerError): JsonRpcError {
  const { code, message, data } = error;
  const summary = `Upstream '${prefix}' answered with error ${code}`;
  // The upstream's text is for the caller alone: it may quote the call, so logs omit it.
  const options = { data, loggedMessage: `${summary}.` };
  if (isServerDefined(error) || code === jsonRpcErrorCodes.invalidParams)
    return new JsonRpcError(code, message, options);
  const text = `${summary}: ${excerpt(message, quotedLengthMax)}`;
  return new JsonRpcError(jsonRpcErrorCodes.internalError, text, { loggedMessage: options.loggedMessage });
}
