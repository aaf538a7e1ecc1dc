import { createFloorConnector } from "@gatehouse/egress";
import { HttpClient, sharedReads } from "@gatehouse/http-client";

/** Open connections to one origin; an HTTP/1.1 stream occupies one until it ends. Further calls wait up to their `connectMs`. */
const connectionsPerOriginMax = 1_024;
/** Origins with connections at once, of which each base URL has one. */
const originsMax = 10_000;
/** Lifetime of an idle connection where the provider sets none, ms. Below the usual 60 s of load balancers. */
const keepAliveMs = 30_000;
/** Longest lifetime of an idle connection that a provider may set, ms. */
const keepAliveMsMax = 120_000;
/** Bound of connection attempts that no call waits for any more, ms. */
const connectMsMax = 30_000;
const replyHeadBytesMax = 64 * 1024;

/**
 * A client with keep-alive connections to providers. HTTP/1.1, so that aborting a call closes its connection at once. Private
 * networks are permitted, cloud metadata is not.
 */
export function createProviderClient(): HttpClient {
  const socket = { noDelay: true, autoSelectFamily: true, ...sharedReads };
  return new HttpClient({
    connect: createFloorConnector({ timeout: connectMsMax, allowH2: false, ...socket }),
    originsMax,
    connectionsMax: connectionsPerOriginMax,
    keepAliveMs,
    keepAliveMsMax,
    headBytesMax: replyHeadBytesMax,
  });
}
