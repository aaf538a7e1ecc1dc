import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Agent } from "node:https";
import { guarded } from "@gatehouse/async";
import { type GatewayError, replyBrokenOff, serviceUnavailable } from "@gatehouse/errors";
import { endToEndHeaders, recordedReplyEnd, replyEndOf } from "@gatehouse/http";
import type { PrincipalSigner, ServiceHandler } from "@gatehouse/principal";
import { createProxyMiddleware, type Plugin } from "http-proxy-middleware";
import { signedHeaders } from "./remote-service.ts";
import { acquireAnswering, acquireFor, type ServicePeers } from "./service-peers.ts";

/**
 * Service in another process, reached through http-proxy-middleware; used for the control plane, whose few calls permit a general
 * library. Rejects as `forward` does.
 * @param timeoutMs longest silence of the service
 * @param agent for processes that are reached by `https://`
 */
export function createProxiedHandler(
  peers: ServicePeers,
  signer: PrincipalSigner,
  timeoutMs: number,
  agent?: Agent,
): ServiceHandler {
  const rejections = new WeakMap<IncomingMessage, (cause: unknown) => void>();
  const targets = new WeakMap<IncomingMessage, string>();
  const sent = new WeakMap<IncomingMessage, ClientRequest>();
  const proxy = createProxyMiddleware({
    // `targets` holds the target of each request.
    target: nowhere,
    router: (req) => targets.get(req) ?? nowhere,
    changeOrigin: true,
    proxyTimeout: timeoutMs,
    ...(agent === undefined ? {} : { agent }),
    selfHandleResponse: true,
    // The library's own plugins answer errors as plain text.
    ejectPlugins: true,
    plugins: [reportErrors(rejections), passReplies(rejections), noteRequests(sent)],
  });
  return async (req, res, context) => {
    // The library would send the call of a reply that has closed meanwhile, and wait for a close that has been.
    const peer = await acquireFor(res, context.onUnsent, async () => await acquireAnswering(peers));
    targets.set(req, peer.connection.origin);
    peers.beginCall(peer);
    const call = peer.connection.hold((cause) => sent.get(req)?.destroy(cause));
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: unknown): void => reject(toFailure(res, cause));
      rejections.set(req, fail);
      // Before the library's listener, which closes the connection to the service.
      res.once("close", () => {
        const end = recordedReplyEnd(res);
        if (end !== undefined) call.announceEnd(end);
        resolve();
      });
      // Set on the request itself, since the library skips its hook for headers where a client sends `Expect`.
      req.headers = { ...signedHeaders(req, context, signer), ...call.headers };
      proxy(req, res, fail).catch(fail);
    }).finally(() => {
      call.forget();
      peers.endCall(peer, "unknown");
    });
  };
}

/** Placeholder: the library requires a target at creation. */
const nowhere = "http://127.0.0.1:0";

/** Rejects failed calls, which the library reports by an event only. */
function reportErrors(rejections: WeakMap<IncomingMessage, (cause: unknown) => void>): Plugin {
  return (server) => {
    server.on("error", (cause, req) => {
      if (req !== undefined) rejections.get(req)?.(cause);
    });
  };
}

/** Records outgoing requests, so that they can be ended when their process does not answer. */
function noteRequests(sent: WeakMap<IncomingMessage, ClientRequest>): Plugin {
  return (server) => void server.on("proxyReq", (request, req) => sent.set(req, request));
}

/** Passes replies on without the library's plugin, which copies headers of its connection into them. */
function passReplies(rejections: WeakMap<IncomingMessage, (cause: unknown) => void>): Plugin {
  const passReply = (reply: IncomingMessage, _req: IncomingMessage, res: ServerResponse) => {
    if (res.headersSent || res.destroyed) return;
    res.writeHead(reply.statusCode ?? 502, endToEndHeaders(reply.headers, new Set()));
    reply.pipe(res);
  };
  const onReply = guarded(passReply, (cause, reply, req) => {
    reply.destroy();
    rejections.get(req)?.(cause);
  });
  return (server) => void server.on("proxyRes", onReply);
}

function toFailure(res: ServerResponse, cause: unknown): GatewayError {
  const failure = serviceUnavailable(cause);
  if (res.destroyed) return replyEndOf(res);
  if (!res.headersSent) return failure;
  res.destroy();
  return replyBrokenOff(failure);
}
