import { chatCall } from "../call.ts";
import type { Subject } from "../subject.ts";
import type { Gatehouse, GatewaySetup } from "./gatehouse.ts";

/** High enough that no run reaches it: decisions are measured, not refusals. */
const neverReached = 1_000_000_000;

/** A project with two rate limits on itself and on its token, a priced budget and an input schema; optionally with guardrails. */
export async function createPolicySubject(
  gatehouse: Gatehouse,
  { name, guardrails, body }: Pick<GatewaySetup, "name" | "guardrails" | "body">,
): Promise<Subject> {
  const limits = { rate_limit_per_minute: neverReached, rate_limit_per_hour: neverReached };
  return await gatehouse.createSubject({
    name,
    ...(guardrails === undefined ? {} : { guardrails }),
    ...(body === undefined ? {} : { body }),
    project: limits,
    token: limits,
    endpoint: {
      targets: [
        { provider: "bench", model: chatCall.model, input_price_per_million: 2.5, output_price_per_million: 10 },
      ],
      monthly_budget_usd: 1_000_000,
      input_schema: {
        type: "object",
        required: ["message"],
        properties: { message: { type: "string", minLength: 1, maxLength: 1_000_000 } },
        additionalProperties: false,
      },
    },
  });
}
