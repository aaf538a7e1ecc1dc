import { lookup as lookupHost, type LookupAddress, type LookupOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { linkLocal } from "./address-table.ts";
import { parseAddress } from "./address.ts";
import { judgeByFloor } from "./classify-address.ts";
import { ssrfBlocked } from "./egress-error.ts";

/**
 * A connector for addresses set by administrators, where private networks are common: it refuses only the floor, which no setting
 * opens (cloud metadata above all), and link-local addresses. Names resolve through the operating system; the connection goes to
 * the checked addresses.
 * @throws GatewayError `ssrf_blocked`, through the callback, as the connection's error.
 */
export function createFloorConnector(
  options: buildConnector.BuildOptions,
  resolve: typeof lookupHost = lookupHost,
): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: judgedLookup(resolve) });
  return (target, callback) => {
    // Node looks up names only; a literal address skips the lookup.
    const problem = floorProblem(target.hostname);
    if (problem !== undefined) return callback(ssrfBlocked(problem), null);
    connect(target, callback);
  };
}

/** Reason why the floor refuses a literal address, in brackets or not; undefined for other addresses and for names. */
export function floorProblem(hostname: string): string | undefined {
  const address = parseAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
  const verdict = address === undefined ? undefined : judgeByFloor(address, linkLocal);
  return verdict === undefined || verdict.allowed ? undefined : `The address is never allowed (${verdict.reason}).`;
}

function judgedLookup(resolve: typeof lookupHost): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    resolve(hostname, { ...options, all: true }, (err, addresses: readonly LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (err !== null || first === undefined) return callback(err, options.all === true ? [] : "", 0);
      if (addresses.some(({ address }) => floorProblem(address) !== undefined)) {
        return callback(ssrfBlocked("The host name resolves to an address that is never allowed."), "", 0);
      }
      if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}
