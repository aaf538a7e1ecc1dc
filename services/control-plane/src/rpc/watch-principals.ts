import type { ChangeFeed } from "@gatehouse/database";
import type { WatchPrincipalsRequest, WatchPrincipalsResponse } from "@gatehouse/proto/control-plane";
import type { CallContext } from "@gatehouse/rpc";
import { parsePrincipalChange, type PrincipalChange } from "../domain/principal-change.ts";
import { ChangeQueue } from "./change-queue.ts";

/**
 * `WatchPrincipals`: an empty message from which on every change is sent, then the changes.
 * @param stopping aborted when the service stops, which ends every stream
 */
export function createWatchPrincipals(feed: Pick<ChangeFeed, "subscribe">, stopping: AbortSignal) {
  return async function* watchPrincipals(_request: WatchPrincipalsRequest, { signal }: Pick<CallContext, "signal">) {
    const queue = new ChangeQueue();
    const unsubscribe = feed.subscribe({
      onChange(payload) {
        const change = parsePrincipalChange(payload);
        if (change === undefined) queue.cutOff("A change could not be read.");
        else queue.push(change);
      },
      onGap: () => queue.cutOff("Changes may have been missed."),
    });
    const ending = AbortSignal.any([signal, stopping]);
    const end = () => queue.end();
    ending.addEventListener("abort", end);
    if (ending.aborted) end();
    try {
      yield {} satisfies WatchPrincipalsResponse;
      for await (const change of queue.drain()) yield toResponse(change);
    } finally {
      ending.removeEventListener("abort", end);
      unsubscribe();
    }
  };
}

function toResponse(change: PrincipalChange): WatchPrincipalsResponse {
  if (change.kind === "token") return { subject: { $case: "tokenId", value: change.tokenId } };
  if (change.kind === "project") return { subject: { $case: "projectUuid", value: change.projectUuid } };
  if (change.kind === "console_session") {
    return { subject: { $case: "consoleSessionId", value: change.sessionId } };
  }
  if (change.kind === "issuer") return { subject: { $case: "issuerId", value: change.issuerId } };
  return { subject: { $case: "adminKeyId", value: change.adminKeyId } };
}
