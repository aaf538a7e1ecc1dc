import { describe } from "vitest";
import { allowLoopback } from "../../src/product-world.ts";
import { describeApiGateway } from "./api-gateway-suite.ts";
import { describeAuthentication } from "./authentication-suite.ts";
import { describeChat } from "./chat-suite.ts";
import { describeControlPlane } from "./control-plane-suite.ts";
import { describeFailures } from "./failure-suite.ts";
import { describeIdempotency } from "./idempotency-suite.ts";
import { describeIssuers } from "./issuer-suite.ts";
import { describeBudgets, describeRateLimits } from "./limit-suite.ts";
import { describeLogs } from "./log-suite.ts";
import { describeMcp } from "./mcp-suite.ts";
import { defaultNames, describeNames } from "./name-suite.ts";
import { describeSecretReferences, secretReferenceEnv } from "./secret-reference-suite.ts";
import { describeTokenReach } from "./token-reach-suite.ts";
import { describeWebhooks } from "./webhook-suite.ts";
import type { World } from "./world.ts";
import { describeWrapper } from "./wrapper-suite.ts";

/**
 * Settings of a product for these suites: unauthenticated callers of all suites share one address, and those of the log suite
 * must be logged.
 */
export const everySuiteEnv = {
  ...allowLoopback,
  ...secretReferenceEnv,
  STRANGER_LOG_ENTRIES_PER_MINUTE: "10000",
  TRUSTED_PROXIES: "127.0.0.0/8",
} as const;

/** Every surface of a product except its guardrails, which come near their bounds beside another file: `guardrails.e2e.test.ts`. */
export function describeEverySurface(world: () => World, hasEvents = true): void {
  // First, since it lists the whole gateway, which other suites fill.
  describe.skipIf(!hasEvents)("the Control Plane", () => describeControlPlane(world));
  describe.skipIf(!hasEvents)("webhooks", () => describeWebhooks(world));
  describe("changes under a key", () => describeIdempotency(world));
  describe("the organisation's own tokens", () => describeIssuers(world));
  describe("the reach of a token", () => describeTokenReach(world));
  describe("references to secrets", () => describeSecretReferences(world));
  describe("authentication", () => describeAuthentication(world));
  describe("chat", () => describeChat(world));
  describe("the Wrapper", () => describeWrapper(world));
  describe("MCP", () => describeMcp(world));
  describe("the API Gateway", () => describeApiGateway(world));
  describe("rate limits", () => describeRateLimits(world));
  describe("budgets", () => describeBudgets(world));
  describe("failures", () => describeFailures(world));
  describe.skipIf(!hasEvents)("names", () => describeNames(world, defaultNames));
  describe.skipIf(!hasEvents)("logs", () => describeLogs(world));
}
