import { readOrigin } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import type { CreateWebhookRequest, CreateWebhookResponse } from "@gatehouse/proto/webhook-dispatcher";
import type { CallContext } from "@gatehouse/rpc";
import { checkEvents, checkName } from "../domain/webhook-fields.ts";
import { createWebhook } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromWebhook } from "./messages.ts";

/** @throws GatewayError `invalid_argument` naming the field, `not_found` for a project that was deleted. */
export async function handleCreateWebhook(
  { transact, secrets, checkUrl }: AdminContext,
  request: CreateWebhookRequest,
  metadata: CallContext["metadata"],
): Promise<CreateWebhookResponse> {
  const origin = readOrigin(metadata);
  const { project } = origin;
  if (project === null || project.uuid !== request.projectUuid) {
    throw new GatewayError("invalid_argument", "A webhook's project must be named by the call's origin.");
  }
  const name = checkName(request.name);
  const events = checkEvents(request.events);
  await checkUrl(request.url);
  let secret = "";
  const webhook = await createWebhook(transact, {
    project,
    name,
    url: request.url,
    events,
    origin,
    newRoot: () => secrets.newRoot(project.uuid),
    newSecrets: (source) => {
      const { plaintext, record } = secrets.newSecret(source, 1);
      secret = plaintext.reveal();
      return { latest: record, previous: undefined };
    },
  });
  return { webhook: fromWebhook(webhook), secret };
}
