import { invalidArgument } from "@gatehouse/errors";
import type { LeaseRequest, LeaseResponse, WindowAsk as AskMessage } from "@gatehouse/proto/chat-calls";
import { allowanceBounds } from "./decisions/bounds.ts";
import { type WindowAsk, windowMs, type WindowScope } from "./decisions/window-lease.ts";
import type { WindowRenewal } from "./ledger/windows.ts";

const scopes: ReadonlyMap<number, WindowScope> = new Map(
  (["minute", "hour"] as const).map((scope) => [windowMs[scope] / 1_000, scope]),
);
const subjectForm = /^(?:(?:project|user):[0-9a-f-]{36}|token:\d{1,10})$/;

/** Encodes asks, with windows by their length in seconds. */
export function toLeaseRequest(asks: readonly WindowAsk[]): LeaseRequest {
  return { asks: asks.map(({ scope, ...ask }) => ({ ...ask, windowSeconds: windowMs[scope] / 1_000 })) };
}

/** @throws GatewayError `invalid_argument` that names an invalid ask. */
export function fromLeaseRequest({ asks }: LeaseRequest): readonly WindowAsk[] {
  const { renewalRowsMax } = allowanceBounds;
  if (asks.length === 0 || asks.length > renewalRowsMax) {
    throw invalidArgument(`A lease request has 1 to ${renewalRowsMax} asks, not ${asks.length}.`);
  }
  const seen = new Set(asks.map(({ subject, windowSeconds }) => `${windowSeconds} ${subject}`));
  if (seen.size < asks.length) throw invalidArgument("A lease request asks twice for one window.");
  return asks.map(fromAsk);
}

function fromAsk({ windowSeconds, ...ask }: AskMessage, at: number): WindowAsk {
  const scope = scopes.get(windowSeconds);
  const { limit, need, extra, returned, returnedStartMs } = ask;
  const isCounted = [limit, need, extra, returned, returnedStartMs].every((number) => number >= 0);
  if (scope === undefined || !isCounted || !subjectForm.test(ask.subject)) {
    throw invalidArgument(`Ask ${at} of a lease request has an unknown window or a negative number.`);
  }
  return { ...ask, scope };
}

/** Decodes grants, in the asks' order, and the database's clock. */
export function fromLeaseResponse({ grants, databaseMs }: LeaseResponse): WindowRenewal {
  return { grants, databaseMs };
}
