import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayError } from "@gatehouse/errors";
import type { Principal } from "@gatehouse/principal";
import { expect, test } from "vitest";
import type { Authenticated } from "../app/authenticate.ts";
import { invalidFormat, invalidToken } from "../domain/bearer.ts";
import { FairShareLimiter, isRefused } from "../domain/fair-share-limiter.ts";
import { OpenRequests } from "./open-requests.ts";

const amounts = { requestsInFlight: 10, bufferedBytes: 10, streams: 10 };
const admin: Principal = { kind: "admin", adminKeyId: 1, name: "a", role: "owner", projects: null };

function openOne(open: OpenRequests, authenticated: Authenticated) {
  const ends: [code: string, reason: string][] = [];
  const shares = new FairShareLimiter({
    whole: amounts,
    project: amounts,
    token: amounts,
    addressRequestsInFlight: 10,
  });
  const share = shares.enter("192.0.2.1");
  if (isRefused(share)) throw new Error("No share is free.");
  open.add({
    req: {} as IncomingMessage,
    res: { statusCode: 200, writableLength: 0, headersSent: false } as ServerResponse,
    share,
    principal: admin,
    openedAtMs: Number.NEGATIVE_INFINITY,
    goodAtMs: performance.now(),
    isChecking: false,
    authenticateAgain: () => authenticated,
    end: ({ code }: GatewayError, reason) => void ends.push([code, reason]),
  });
  return ends;
}

test.each([
  ["unknown", invalidToken()],
  ["no token any more, as a JWT whose issuer is trusted no longer", invalidFormat()],
])("a request whose credential is %s ends at once", (_, refusal) => {
  const open = new OpenRequests(() => []);
  const ends = openOne(open, refusal);
  open.look();
  expect(ends).toEqual([["invalid_token", "revoked"]]);
});
