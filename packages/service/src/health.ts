import type { IncomingMessage, ServerResponse } from "node:http";
import { nothingAtPath } from "@gatehouse/errors";
import { sendError, sendJson } from "@gatehouse/http";
import type { Logger, Telemetry } from "@gatehouse/telemetry";
import type { Readiness } from "./service.ts";

/**
 * Answers `/healthz` (the process is alive), `/readyz` (it can work, else 503) and `/metrics` (Prometheus text).
 * @param phase `starting` and `stopping` send callers to other processes
 */
export function createHealthHandler(
  readiness: () => Promise<Readiness>,
  telemetry: Telemetry,
  phase: () => "starting" | "serving" | "stopping" = () => "serving",
) {
  const logTurn = createTurnLog(telemetry.log);
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
        logTurn(ready, problems);
        if (ready) return sendJson(res, { status: 200, body: { ok: ready, problems } });
        return sendJson(res, { status: 503, body: { ok: ready, problems }, headers: { "retry-after": "1" } });
      }
      case "/metrics": {
        const text = await telemetry.metrics.metrics();
        res.writeHead(200, { "content-type": telemetry.metrics.contentType }).end(text);
        return undefined;
      }
      default:
        return sendError(res, nothingAtPath());
    }
  };
}

/** Problems of a start or stop, which are logged separately. */
const passing = /^(?:not started|stopping|starting: )/;

/** Logs changes of readiness, the reason for which balancers and Kubernetes send calls elsewhere. */
function createTurnLog(log: Logger): (ready: boolean, problems: readonly string[]) => void {
  let wasReady = true;
  return (ready, problems) => {
    if (ready === wasReady || (!ready && problems.every((problem) => passing.test(problem)))) return;
    wasReady = ready;
    if (ready) log.info("Ready again.");
    else log.warn({ problems }, "Not ready: callers are sent elsewhere.");
  };
}
