import { readOrigin } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import type { RotateWebhookSecretRequest, RotateWebhookSecretResponse } from "@gatehouse/proto/webhook-dispatcher";
import type { CallContext } from "@gatehouse/rpc";
import { overlapSecondsDefault, overlapSecondsMax, promote, rotate } from "../domain/signing-secret.ts";
import { changeSecrets } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromWebhook } from "./messages.ts";

/** @throws GatewayError `invalid_argument` naming the field, `not_found` */
export async function handleRotateWebhookSecret(
  { transact, secrets }: AdminContext,
  request: RotateWebhookSecretRequest,
  metadata: CallContext["metadata"],
): Promise<RotateWebhookSecretResponse> {
  const { webhookId: id, staged } = request;
  const overlapSeconds = readOverlap(request);
  const now = new Date();
  let secret = "";
  const webhook = await changeSecrets(transact, { id, origin: readOrigin(metadata) }, (before, source) => {
    if (request.promote) return { secrets: promote(before, now), overlapSeconds: 0 };
    const { plaintext, record: next } = secrets.newSecret(source, before.latest.version + 1);
    secret = plaintext.reveal();
    return { secrets: rotate(before, { next, overlapSeconds, staged, now }), overlapSeconds };
  });
  return { webhook: fromWebhook(webhook, now), secret };
}

function readOverlap({ overlapSeconds = overlapSecondsDefault, staged, promote }: RotateWebhookSecretRequest): number {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > overlapSecondsMax) {
    throw invalid(`overlap_seconds must be a whole number from 0 to ${overlapSecondsMax}`);
  }
  if (staged && promote) throw invalid("staged and promote exclude each other");
  if (staged && overlapSeconds === 0) throw invalid("overlap_seconds must not be 0 for a staged rotation");
  return overlapSeconds;
}

function invalid(message: string): GatewayError {
  return new GatewayError("invalid_argument", message);
}
