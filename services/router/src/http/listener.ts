import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type GatewayError, invalidArgument, nothingAtPath } from "@gatehouse/errors";
import type { CrossOrigin } from "../domain/cross-origin.ts";
import type { RequestIds } from "../domain/request-id.ts";
import { type DataMatcher, dataPathPrefix } from "../domain/route-matcher.ts";
import type { RequestMetrics } from "../metrics.ts";
import { answerPreflight, isPreflight, markCrossOrigin } from "./preflight.ts";
import type { Reject } from "./reject.ts";
import type { RequestDispatcher } from "./request-dispatcher.ts";

/** Request ids for the control plane, across the framework. */
export const requestIds = new WeakMap<IncomingMessage, string>();

interface ListenerOptions {
  readonly match: DataMatcher;
  readonly dispatcher: RequestDispatcher;
  readonly controlPlane: RequestListener;
  readonly requestIdFor: RequestIds;
  readonly metrics: RequestMetrics;
  readonly reject: Reject;
  readonly crossOrigin: CrossOrigin;
  /** Characters of the request target, query included. */
  readonly pathLengthMax: number;
}

/** Dispatches requests to the data plane or the control plane. Data-plane requests do not pass through a framework. */
export function createListener(options: ListenerOptions): RequestListener {
  const { match, dispatcher, controlPlane, requestIdFor, metrics, reject, pathLengthMax, crossOrigin } = options;

  const rejectUnmatched = (req: IncomingMessage, res: ServerResponse, error: GatewayError): void => {
    reject(req, res, { error });
    metrics.observe("none", res.statusCode, 0);
  };

  return (req, res) => {
    const requestId = requestIdFor(req.headers["x-request-id"]);
    res.setHeader("x-request-id", requestId);
    const target = req.url ?? "/";
    if (target.length > pathLengthMax) {
      return rejectUnmatched(req, res, invalidArgument(`Request path is longer than ${pathLengthMax} characters.`));
    }
    if (!target.startsWith(dataPathPrefix)) {
      requestIds.set(req, requestId);
      return controlPlane(req, res);
    }
    markCrossOrigin(req, res, crossOrigin);
    const found = match(target);
    if (found === undefined) return rejectUnmatched(req, res, nothingAtPath());
    if (isPreflight(req, crossOrigin)) {
      answerPreflight(req, res, { group: found.group, crossOrigin });
      metrics.observe("preflight", res.statusCode, 0);
      return undefined;
    }
    return dispatcher.dispatch(req, res, { ...found, requestId });
  };
}
