import { networkInterfaces } from "node:os";
import { parseAddress } from "./address.ts";
import { judgeByFloor } from "./classify-address.ts";

/**
 * The addresses behind a listening host and port, for the guard's `ownAddresses`: every address of this machine when the host is a
 * wildcard or a name; none for port 0, which is any. A gateway behind a proxy or a NAT has others, which only its operator knows.
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

/** Addresses on the floor are closed anyway; an agent of a cloud may well have such an address on this machine. */
function isOpenable(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && judgeByFloor(bytes).allowed;
}
