import type { IncomingMessage } from "node:http";
import type { BodyBounds, Siblings } from "@gatehouse/http";
import { type JsonRpcDispatcher, jsonRpcErrorCodes, type RequestText } from "@gatehouse/json-rpc";
import { type RequestContext, type ServiceHandler, tokenPrincipal, type TokenPrincipal } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { CallsInFlight } from "./calls-in-flight.ts";
import { Cancellations } from "./cancellations.ts";
import { mcpSharedMethods } from "./mcp-dispatcher.ts";
import { createMcpHandler, type McpExchange } from "./mcp-handler.ts";
import { PendingReply } from "./pending-reply.ts";
import { type RecordOutcome, toLoggedRefusal } from "./request-outcome.ts";

/** An MCP request of an application, possibly with several calls. */
export interface McpCaller {
  readonly principal: TokenPrincipal;
  readonly requestId: string;
  readonly ipAddress: string;
  readonly traceId: string | undefined;
  /** User named by the application. */
  readonly user?: string | undefined;
  /** Aborted when the client cancels the call, or, with an end (`endOfAbort`), when it disconnects or the gateway ends the reply. */
  readonly signal: AbortSignal;
  /** Reply to the HTTP request, shared by its calls. */
  readonly reply: Pick<PendingReply, "whenSettled">;
}

/** Server and bounds of `POST /api/{uuid}/mcp` for one type of project. */
export interface ProjectMcpHandlerOptions<Caller extends McpCaller> {
  /** Id in the router's table. */
  readonly route: string;
  /** Other processes that may have the call that a notification cancels. */
  readonly siblings?: Siblings | undefined;
  readonly dispatch: JsonRpcDispatcher<Caller>;
  readonly toCaller: (known: McpCaller, request: RequestContext, req: IncomingMessage) => Caller;
  /** Adds the text of a call to its caller, for a server that forwards params unchanged. */
  readonly withText?: (caller: Caller, text: RequestText) => Caller;
  /** Receives the outcome of requests that never became a call. */
  readonly record: RecordOutcome<Caller>;
  readonly body: BodyBounds;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}

/**
 * `POST /api/{uuid}/mcp` of a project, for callers authenticated by the router. A client that disconnects, or sends
 * `notifications/cancelled`, aborts the signal of its calls.
 */
export function createProjectMcpHandler<Caller extends McpCaller>(
  options: ProjectMcpHandlerOptions<Caller>,
): ServiceHandler {
  const inFlight = new CallsInFlight();
  const cancellations = new Cancellations(inFlight, options.route, options.siblings);
  const { body, log } = options;
  return createMcpHandler({
    body,
    log,
    open(req, request, left) {
      const reply = new PendingReply(left);
      const caller = options.toCaller({ ...toKnown(request), signal: left, reply }, request, req);
      return openExchange(caller, reply, { ...options, inFlight, cancellations });
    },
  });
}

interface ExchangeOptions<Caller extends McpCaller> extends ProjectMcpHandlerOptions<Caller> {
  readonly inFlight: CallsInFlight;
  readonly cancellations: Cancellations;
}

function openExchange<Caller extends McpCaller>(
  caller: Caller,
  reply: PendingReply,
  { dispatch, withText, record, wallNow, inFlight, cancellations }: ExchangeOptions<Caller>,
): McpExchange<Caller> {
  const startedAtMs = wallNow();
  const name = `${caller.principal.tokenId} ${caller.ipAddress}`;
  const calls = inFlight.open(name, caller.signal);
  return {
    options: {
      dispatch,
      context: caller,
      keepsParams: withText !== undefined,
      distinctKeys: withText === undefined,
      sharedMethods: mcpSharedMethods,
      toRequestContext: (shared, text) => {
        const called = { ...shared, signal: calls.signalFor(text.id) };
        return withText === undefined ? called : withText(called, text);
      },
      onNotification: (method, params) => cancellations.record(name, method, params),
      onInvalid: (err) => {
        const status = err.code === jsonRpcErrorCodes.parseError ? 400 : 200;
        record({ status, error: toLoggedRefusal(err), startedAtMs: wallNow() }, caller);
      },
    },
    end(status, error) {
      calls.close();
      if (error !== undefined) record({ status, error, startedAtMs }, caller);
      reply.settle();
    },
  };
}

function toKnown(context: RequestContext): Omit<McpCaller, "signal" | "reply"> {
  const { requestId, ipAddress, span, user } = context;
  return { principal: tokenPrincipal(context), requestId, ipAddress, traceId: span.traceId, user };
}
