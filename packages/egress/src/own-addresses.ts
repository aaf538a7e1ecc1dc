import { networkInterfaces } from "node:os";

/**
 * The addresses behind a listening host and port, for the guard's `ownAddresses`: every address of this machine when the host is a
 * wildcard. A listener behind a proxy or a NAT has others that only its operator knows.
 */
export function listOwnAddresses(host: string, port: number): readonly string[] {
  const addresses = host === "0.0.0.0" || host === "::" || host === "" ? machineAddresses() : [host];
  return addresses.map((address) => (address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`));
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
