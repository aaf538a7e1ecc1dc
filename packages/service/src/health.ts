import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import { sendError, sendJson } from "@gatehouse/http";
import type { Telemetry } from "@gatehouse/telemetry";
import type { Readiness } from "./service.ts";

/**
 * Answers `/healthz` (the process is alive), `/readyz` (it can do its work, 503 where not) and `/metrics` (Prometheus text).
 * @param phase callers go elsewhere while the process starts, and when it is about to stop
 */
export function createHealthHandler(
  readiness: () => Promise<Readiness>,
  telemetry: Telemetry,
  phase: () => "starting" | "serving" | "stopping" = () => "serving",
) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    switch (req.url ?? "") {
      case "/healthz": {
        const current = phase();
        return sendJson(res, {
          status: 200,
          body: { ok: true, ...(current === "serving" ? {} : { [current]: true }) },
        });
      }
      case "/readyz": {
        const { ready, problems } = await readiness();
        if (ready) return sendJson(res, { status: 200, body: { ok: ready, problems } });
        return sendJson(res, { status: 503, body: { ok: ready, problems }, headers: { "retry-after": "1" } });
      }
      case "/metrics": {
        const text = await telemetry.metrics.metrics();
        res.writeHead(200, { "content-type": telemetry.metrics.contentType }).end(text);
        return undefined;
      }
      default:
        return sendError(res, new GatewayError("route_not_found", "There is nothing at this path."));
    }
  };
}
