import { isGatewayError } from "@gatehouse/errors";
import { CallScope } from "../clients/call-scope.ts";
import type { ConnectUpstream } from "../clients/upstream-connection.ts";
import { hopOf } from "../domain/hops.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";
import type { ReachableUpstream } from "../domain/upstream.ts";
import { listTools } from "./list-tools.ts";

interface TestStep {
  readonly name: "resolve" | "list";
  readonly succeeded: boolean;
  readonly detail: string;
  readonly durationMs: number;
}

/** Steps of a test in order, up to the first failed one. */
export type TryUpstream = (upstream: ReachableUpstream) => Promise<readonly TestStep[]>;

/** Tests an upstream as if it were new, step by step up to the first failure. Stores nothing. */
export function createTryUpstream(
  checkUrl: (url: string, argument: string) => Promise<unknown>,
  connect: ConnectUpstream,
  /** Monotonic milliseconds. */
  now: () => number,
): TryUpstream {
  async function run(name: TestStep["name"], work: () => Promise<string>): Promise<TestStep> {
    const startedAt = now();
    const report = (succeeded: boolean, detail: string) => {
      return { name, succeeded, detail, durationMs: Math.round(now() - startedAt) };
    };
    try {
      return report(true, await work());
    } catch (err) {
      if (!(err instanceof UpstreamFailure) && !isGatewayError(err)) throw err;
      const detail = isGatewayError(err) ? err.details["detail"] : undefined;
      return report(false, detail === undefined ? err.message : `${err.message} ${String(detail)}`);
    }
  }

  async function list(upstream: ReachableUpstream): Promise<string> {
    const connection = connect(upstream, "unknown");
    using scope = new CallScope(upstream.settings.listTimeoutMs);
    try {
      const common = { method: "tools/list", sessionKey: "test", scope, hops: hopOf(upstream.projectUuid) } as const;
      const { tools, quarantined, gap } = await listTools(async (params) => {
        return await connection.request({ ...common, params, traceparent: "" });
      });
      const left = quarantined.length === 0 ? "" : ` ${quarantined.length} are not listed.`;
      return `${tools.length} tools; the upstream speaks as "${connection.protocolMode}".${left}${gap === undefined ? "" : ` ${gap}`}`;
    } finally {
      await connection.close();
    }
  }

  return async (upstream) => {
    const resolved = await run("resolve", async () => {
      await checkUrl(upstream.url, "url");
      return "Its addresses are allowed.";
    });
    return resolved.succeeded ? [resolved, await run("list", async () => await list(upstream))] : [resolved];
  };
}
