import { createFloorConnector } from "@gatehouse/egress";
import { Agent, type Dispatcher } from "undici";

/** Open connections to one origin; an HTTP/1.1 stream holds one for as long as it lasts. What comes on top waits its `connectMs`. */
const connectionsPerOriginMax = 1_024;
/** Time for which an idle connection is kept where the provider says nothing about it, ms. Below the usual 60 s of load balancers. */
const keepAliveMs = 30_000;
/** Time for which an idle connection is kept where the provider names one, ms. */
const keepAliveMsMax = 120_000;
/** Ends connecting that no attempt waits for any more, ms. */
const connectMsMax = 30_000;
const replyHeadBytesMax = 64 * 1024;

/**
 * Keep-alive pools to providers, one per origin. HTTP/1.1, so that giving a call up frees its connection at
 * once. Private networks are open, cloud metadata is not. */
export function createProviderDispatcher(): Dispatcher {
  return new Agent({
    connections: connectionsPerOriginMax,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMsMax,
    maxHeaderSize: replyHeadBytesMax,
    connect: createFloorConnector({ timeout: connectMsMax, noDelay: true, allowH2: false, autoSelectFamily: true }),
  });
}
