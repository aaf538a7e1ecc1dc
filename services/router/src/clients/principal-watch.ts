import { setTimeout as delay } from "node:timers/promises";
import type { WatchPrincipalsResponse } from "@gatehouse/proto/control-plane";
import type { Logger } from "@gatehouse/telemetry";
import { type PrincipalsClient, subjectNames } from "./principals.ts";

const retryMsMin = 100;
const retryMsMax = 1_000;

interface PrincipalWatchOptions {
  readonly client: PrincipalsClient;
  readonly log: Logger;
  /** Called when the stream is open: from then on every change is reported. */
  readonly onConnected: () => void;
  /** Called when the stream breaks: changes may be missed until the next `onConnected`. */
  readonly onLost: () => void;
  readonly onInvalidated: (subject: string) => void;
}

/** Handle of a running watch. `stop` cancels the stream, which is then not reopened. */
export interface PrincipalWatch {
  readonly isConnected: () => boolean;
  stop(): void;
}

/** Follows the control plane's stream of changed principals, and reopens it whenever it ends, until stopped. */
export function startPrincipalWatch(options: PrincipalWatchOptions): PrincipalWatch {
  const stopping = new AbortController();
  const state = { connected: false };
  void follow(options, state, stopping.signal);
  return { isConnected: () => state.connected, stop: () => stopping.abort() };
}

interface WatchState {
  connected: boolean;
}

async function follow(options: PrincipalWatchOptions, state: WatchState, stopping: AbortSignal): Promise<void> {
  let retryMs = retryMsMin;
  while (!stopping.aborted) {
    const wasConnected = await followOnce(options, state, stopping);
    retryMs = wasConnected ? retryMsMin : Math.min(retryMs * 2, retryMsMax);
    await delay(retryMs * (0.5 + Math.random() / 2), undefined, { signal: stopping }).catch(() => {});
  }
}

/** Resolves when the stream ends, with whether it had opened. */
async function followOnce(options: PrincipalWatchOptions, state: WatchState, stopping: AbortSignal): Promise<boolean> {
  const { client, log, onConnected, onLost, onInvalidated } = options;
  try {
    for await (const message of client.watchPrincipals({}, { signal: stopping })) {
      if (!state.connected) {
        state.connected = true;
        log.info("Following the control plane's changes to tokens and keys.");
        onConnected();
      }
      const subject = toSubject(message);
      if (subject !== undefined) onInvalidated(subject);
    }
  } catch (err) {
    if (state.connected && !stopping.aborted)
      log.warn({ err }, "The control plane's stream of changes ended; connecting again.");
  }
  const wasConnected = state.connected;
  state.connected = false;
  if (wasConnected) onLost();
  return wasConnected;
}

function toSubject({ subject }: WatchPrincipalsResponse): string | undefined {
  // First message of the stream, or a kind of subject that only a newer control plane sends.
  if (subject === undefined) return undefined;
  switch (subject.$case) {
    case "tokenId":
      return subjectNames.token(subject.value);
    case "projectUuid":
      return subjectNames.project(subject.value);
    case "adminKeyId":
      return subjectNames.adminKey(subject.value);
    case "consoleSessionId":
      return subjectNames.session(subject.value);
    case "issuerId":
      return subjectNames.issuer(subject.value);
    default:
      return undefined;
  }
}
