import { networkInterfaces } from "node:os";
import { parseAddress } from "./address.ts";
import { judgeByFloor } from "./classify-address.ts";

/**
 * Addresses of a listening host and port, for the guard's `ownAddresses`: all of this machine's for a wildcard or a name; none
 * for port 0. Addresses of a proxy or a NAT in front are known to the operator alone.
 */
export function listOwnAddresses(host: string, port: number): readonly string[] {
  if (port === 0) return [];
  const bytes = parseAddress(host);
  const isOne = bytes !== undefined && bytes.some((byte) => byte !== 0);
  return (isOne ? [host] : machineAddresses())
    .filter(isOpenable)
    .map((address) => (address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`));
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}

/** Excludes addresses on the floor, which are closed anyway: a cloud's agent may have one on this machine. */
function isOpenable(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && judgeByFloor(bytes).allowed;
}
