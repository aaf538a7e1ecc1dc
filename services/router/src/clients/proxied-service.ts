import type { ServerResponse } from "node:http";
import { GatewayError } from "@gatehouse/errors";
import type { ServiceHandler } from "@gatehouse/principal";
import { createProxyMiddleware } from "http-proxy-middleware";
import { type PrincipalSigner, signedHeaders } from "./remote-service.ts";

export interface ProxiedHandlerOptions {
  readonly origin: string;
  readonly signer: PrincipalSigner;
  /** Longest silence of the service. */
  readonly timeoutMs: number;
}

/**
 * A service in another process, reached through http-proxy-middleware: for the lane where comfort counts for more than
 * microseconds. Rejects as `forward` does.
 */
export function createProxiedHandler({ origin, signer, timeoutMs }: ProxiedHandlerOptions): ServiceHandler {
  const proxy = createProxyMiddleware({
    target: origin,
    changeOrigin: true,
    proxyTimeout: timeoutMs,
    // Its own plugins answer errors as text; errors are the caller's to format.
    ejectPlugins: true,
    plugins: [(server) => server.on("error", () => {})],
  });
  return async (req, res, context) => {
    // Written into the request itself: the proxy's own hook for headers is skipped where a client sends `Expect`.
    req.headers = signedHeaders(req, context, signer);
    const closed = new Promise<void>((resolve) => void res.once("close", resolve));
    await proxy(req, res, (cause) => failed(res, cause));
    await closed;
  };
}

function failed(res: ServerResponse, cause: unknown): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    throw new GatewayError("cancelled", "The reply was broken off.", { cause });
  }
  throw new GatewayError("unavailable", "A service is not available.", { cause, retryAfterSeconds: 1 });
}
