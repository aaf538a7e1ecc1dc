import { expect, test } from "vitest";
import { createPrincipalReader, fromPrincipalMessage, toPrincipalMessage } from "./principal-message.ts";
import type { TokenPrincipal } from "./principal.ts";

const principal: TokenPrincipal = {
  kind: "token",
  tokenId: 7,
  tokenName: "t",
  environment: "test",
  scopes: ["chat", "mcp"],
  rateLimits: { perMinute: 5, perHour: null },
  project: {
    id: 1,
    uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
    name: "p",
    projectType: "ai_gateway",
    rateLimits: { perMinute: null, perHour: 100 },
  },
};

test("a principal is unchanged by its message", () => {
  expect(fromPrincipalMessage(toPrincipalMessage(principal))).toEqual(principal);
});

test("a reach is unchanged by its message, with empty lists and nulls", () => {
  const narrowed = { ...principal, reach: { endpoints: [], tools: ["up__*"], networks: null } };
  expect(fromPrincipalMessage(toPrincipalMessage(narrowed))).toEqual(narrowed);
});

test("a project's seconds of ledger grace are in its message", () => {
  const lasting = { ...principal, project: { ...principal.project, ledgerGraceSeconds: 60 } };
  expect(fromPrincipalMessage(toPrincipalMessage(lasting))).toEqual(lasting);
});

test("a reader returns one object for equal messages, and others for different ones", () => {
  const read = createPrincipalReader();
  const first = read(toPrincipalMessage(principal));
  expect(first).toEqual(principal);
  expect(read(toPrincipalMessage(principal))).toBe(first);
  const limited = { ...principal, rateLimits: { perMinute: 6, perHour: null } };
  expect(read(toPrincipalMessage(limited))).toEqual(limited);
  expect(createPrincipalReader()(toPrincipalMessage(principal))).not.toBe(first);
});

test("a message without a project of a known type is refused", () => {
  const message = toPrincipalMessage(principal);
  const read = createPrincipalReader();
  expect(() => read({ ...message, project: undefined })).toThrow("Unexpected error.");
  expect(() => read({ ...message, project: { ...principal.project, projectType: "x" } as never })).toThrow();
});
