import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import { type GatewayLog, toRequestEntry } from "@gatehouse/gateway-log";
import { sendJson } from "@gatehouse/http";
import { rateLimited } from "@gatehouse/limits";
import { mayReachEndpoint, type ServiceHandler, type TokenPrincipal, tokenPrincipal } from "@gatehouse/principal";
import { endpointNotFound, isSlug } from "@gatehouse/slugs";
import type { Logger } from "@gatehouse/telemetry";
import { logRefusal } from "../app/call.ts";
import type { Admit } from "../app/steps/rate-limit.ts";
import type { ActiveEndpoint } from "../domain/endpoint.ts";
import { callHeaders } from "./call-headers.ts";
import { itemOf } from "./paths.ts";
import { sendWrapperError } from "./wrapper-error.ts";

/** The active endpoints of a project, or the one with a slug. */
type ListModels = (projectUuid: string, slug?: string) => Promise<readonly ActiveEndpoint[]>;

/** Shared by the handlers of `/v1/models` and `/v1/models/{id}`; each request counts in the rate limits and has a log entry. */
export interface WrapperModelsOptions {
  /** Counts a list as a request. */
  readonly admit: Admit;
  readonly listModels: ListModels;
  readonly gatewayLog: GatewayLog;
  readonly log: Logger;
}

/** `GET /api/{uuid}/v1/models` of `ai_wrapper` projects: the aliases that the token may call, in OpenAI's format. */
export function createWrapperModelsHandler(options: WrapperModelsOptions): ServiceHandler {
  return createListHandler(options, "wrapper_models", async (principal) => {
    const models = await options.listModels(principal.project.uuid);
    const reachable = models.filter(({ slug }) => mayReachEndpoint(principal, slug));
    return { object: "list", data: reachable.map(toModel) };
  });
}

/** `GET /api/{uuid}/v1/models/{id}` of `ai_wrapper` projects. */
export function createWrapperModelHandler(options: WrapperModelsOptions): ServiceHandler {
  return createListHandler(options, "wrapper_model", async (principal, url) => {
    const slug = itemOf(url);
    const isReachable = isSlug(slug) && mayReachEndpoint(principal, slug);
    const [model] = isReachable ? await options.listModels(principal.project.uuid, slug) : [];
    if (model === undefined) throw endpointNotFound(slug);
    return toModel(model);
  });
}

type ReadModels = (principal: TokenPrincipal, url: string) => Promise<object>;

function createListHandler(options: WrapperModelsOptions, route: string, readModels: ReadModels): ServiceHandler {
  const { admit, gatewayLog, log } = options;
  return async (req, res, context) => {
    const { requestId } = context;
    const startedAtMs = Date.now();
    const record = (status: number, error?: GatewayError) => {
      const outcome = { route, startedAtMs, endedAtMs: Date.now(), status, error };
      gatewayLog.append(toRequestEntry(context, outcome));
    };
    let headers = callHeaders({ requestId, tightestWindow: undefined });
    try {
      const principal = tokenPrincipal(context);
      const admission = await admit(principal, context.user);
      headers = callHeaders({ requestId, tightestWindow: admission.tightest });
      if (!admission.admitted) throw rateLimited(admission);
      const body = await readModels(principal, req.url ?? "");
      record(200);
      sendJson(res, { status: 200, body, headers });
    } catch (err) {
      const error = toGatewayError(err);
      logRefusal(log, error, requestId);
      record(error.profile.http, error);
      sendWrapperError(res, error, headers);
    }
  };
}

function toModel({ slug, createdAt }: ActiveEndpoint) {
  return { id: slug, object: "model", created: Math.floor(createdAt.getTime() / 1_000), owned_by: "gatehouse" };
}
