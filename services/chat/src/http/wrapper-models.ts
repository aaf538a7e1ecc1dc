import { toGatewayError } from "@gatehouse/errors";
import { type GatewayLog, toRequestEntry } from "@gatehouse/gateway-log";
import { sendJson } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import type { Logger } from "@gatehouse/telemetry";
import { rateLimited } from "../domain/allowances/index.ts";
import { logRefusal } from "../domain/log-refusal.ts";
import type { Admit } from "../domain/steps/rate-limit.ts";
import { callHeaders } from "./call-headers.ts";
import { tokenPrincipal } from "./token-principal.ts";
import { sendWrapperError } from "./wrapper-error.ts";

export interface WrapperModelsOptions {
  /** A list counts as a request, like a call. */
  readonly admit: Admit;
  /** The active endpoints of a project. */
  readonly listModels: (projectUuid: string) => Promise<readonly { readonly slug: string; readonly createdAt: Date }[]>;
  readonly gatewayLog: GatewayLog;
  readonly log: Logger;
}

/** `GET /api/{uuid}/v1/models` of `ai_wrapper` projects: the project's aliases, as OpenAI lists its models. */
export function createWrapperModelsHandler(options: WrapperModelsOptions): ServiceHandler {
  const { admit, listModels, gatewayLog, log } = options;
  return async (_req, res, context) => {
    const { requestId } = context;
    const startedAtMs = Date.now();
    const record = (status: number, error?: string) => {
      const outcome = { route: "wrapper_models", startedAtMs, endedAtMs: Date.now(), status, error };
      gatewayLog.append(toRequestEntry(context, outcome));
    };
    let headers = callHeaders({ requestId, tightestWindow: undefined });
    try {
      const principal = tokenPrincipal(context);
      const admission = await admit(principal);
      headers = callHeaders({ requestId, tightestWindow: admission.tightest });
      if (!admission.admitted) throw rateLimited(admission);
      const models = await listModels(principal.project.uuid);
      record(200);
      sendJson(res, { status: 200, body: { object: "list", data: models.map(toModel) }, headers });
    } catch (err) {
      const error = toGatewayError(err);
      logRefusal(log, error, requestId);
      record(error.profile.http, error.message);
      sendWrapperError(res, error, headers);
    }
  };
}

function toModel({ slug, createdAt }: { readonly slug: string; readonly createdAt: Date }) {
  return { id: slug, object: "model", created: Math.floor(createdAt.getTime() / 1_000), owned_by: "gatehouse" };
}
