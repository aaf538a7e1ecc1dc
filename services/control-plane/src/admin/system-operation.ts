import { array, defineOperation, number, object, oneOf, optional, readGateway, string } from "@gatehouse/admin";
import type { RouterFacts } from "@gatehouse/principal";
import type { NamedState } from "../clients/service-states.ts";
import type { AdminContext } from "./admin-context.ts";

/** `svc_get_system`. Each service reports its own state; one that does not answer is `not_reached`, which is no error. */
export const systemOperation = defineOperation({
  name: "svc_get_system",
  description:
    "Shows the router that received the call and the services behind it: state (ready, not_ready or not_reached), problems and " +
    "notices, version, start time, and backlogs such as audit events to send. For a service with several replicas, one answers.",
  access: readGateway,
  input: object({}),
  output: object({
    services: array(
      object({
        name: string(),
        state: oneOf("Whether it can do its work.", ["ready", "not_ready", "not_reached"]),
        problems: array(string()),
        backlogs: array(object({ name: string(), count: number(), oldest_seconds: number() })),
        version: optional(string()),
        runtime: optional(string()),
        host: optional(string()),
        started_at: optional(string()),
      }),
    ),
  }),
  async run(_call, { states, caller }: AdminContext) {
    const services = (await states.read()).map(encodeState);
    return { services: [encodeRouter(caller.router), ...services] };
  },
});

/** The router that forwarded this call, and so works. An older version sends no process facts. */
function encodeRouter(router: RouterFacts | undefined) {
  const state = { name: "router", state: "ready", problems: [], backlogs: [] };
  return router === undefined ? state : { ...state, ...encodeProcess(router) };
}

function encodeState({ name, state }: NamedState) {
  if (state === undefined) return { name, state: "not_reached", problems: [], backlogs: [] };
  const { ready, problems, backlogs } = state;
  return {
    name,
    state: ready ? "ready" : "not_ready",
    problems,
    ...encodeProcess(state),
    backlogs: backlogs.map(({ name: kind, count, oldestMs }) => {
      return { name: kind, count, oldest_seconds: Math.round(oldestMs / 1_000) };
    }),
  };
}

function encodeProcess({ version, runtime, host, startedAtMs }: RouterFacts) {
  return { version, runtime: `Node ${runtime}`, host, started_at: new Date(startedAtMs).toISOString() };
}
