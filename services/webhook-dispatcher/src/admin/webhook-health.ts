import {
  boolean,
  defineOperation,
  encodePage,
  type JsonObject,
  nullable,
  number,
  object,
  optional,
  page,
  pageOf,
  project,
  readProject,
  resourceNotFound,
  string,
  toPageRequest,
  withDefault,
} from "@gatehouse/admin";
import { catalogue } from "@gatehouse/audit";
import { keysForEveryProject } from "../domain/matching.ts";
import { listWebhookHealth, type WebhookHealth } from "../store/webhook-health.ts";
import type { AdminContext } from "./admin-context.ts";

const getHealth = defineOperation({
  name: "svc_get_webhook_health",
  description:
    "Shows the deliveries of the last 24 hours of one project or of the whole gateway: for each webhook with deliveries, the number " +
    "of successes and failures among the newest 100, and the last outcome. With `failing`, only active webhooks whose last " +
    "delivery failed.",
  access: readProject,
  input: object({
    project: optional(project),
    failing: withDefault(boolean("Whether only webhooks that fail now are listed."), false),
    ...page,
  }),
  output: pageOf(
    "webhooks",
    object({
      webhook_id: number(),
      name: string(),
      project: string(),
      succeeded: number(),
      failed: number(),
      last_attempted_at: string(),
      last_success: boolean(),
      last_error: nullable(string()),
    }),
  ),
  async run({ input, initiator, isForNamedProjects }, { database }: AdminContext) {
    if (input.project !== undefined && initiator.project === null) throw resourceNotFound("Project", input.project);
    const found = await listWebhookHealth(database, {
      projectUuid: initiator.project?.uuid,
      isFailing: input.failing,
      // Events whose deliveries only administrators of the whole gateway may see.
      exceptEvents: isForNamedProjects ? keysForEveryProject(Object.keys(catalogue)) : [],
      page: toPageRequest(input),
    });
    return encodePage("webhooks", found, encodeHealth);
  },
});

/** Operations that summarise each webhook's newest deliveries, at most 100, of the last 24 hours. */
export const webhookHealthOperations = [getHealth] as const;

function encodeHealth(health: WebhookHealth): JsonObject {
  return {
    webhook_id: health.id,
    name: health.name,
    project: health.projectUuid,
    succeeded: health.succeeded,
    failed: health.failed,
    last_attempted_at: health.lastAttemptedAt.toISOString(),
    last_success: health.lastSuccess,
    last_error: health.lastError ?? null,
  };
}
