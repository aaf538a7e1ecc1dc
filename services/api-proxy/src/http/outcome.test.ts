import type { IncomingMessage } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import type { GatewayLogEntry } from "@gatehouse/gateway-log";
import type { RequestContext } from "@gatehouse/principal";
import { expect, test } from "vitest";
import { createOutcomes } from "./outcome.ts";

test("an entry has an error's logged message, without the words of others", () => {
  const entries: GatewayLogEntry[] = [];
  const openOutcome = createOutcomes({ append: (entry: GatewayLogEntry) => void entries.push(entry) } as never);
  const context = { requestId: "r", principal: { kind: "admin" }, span: { traceId: "t" } } as unknown as RequestContext;
  const loggedMessage = "Request blocked: guardrail 'own'.";
  const error = new GatewayError("guardrail_blocked", `${loggedMessage} You said: ann`, { loggedMessage });
  openOutcome({ method: "POST" } as IncomingMessage, context).end({ status: 422, error, attempts: 0 });
  expect(entries).toMatchObject([{ error: loggedMessage, errorCode: "guardrail_blocked" }]);
});
