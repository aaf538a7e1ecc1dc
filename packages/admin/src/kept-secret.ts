import { invalidArgument } from "@gatehouse/errors";

/** A change of the address that stored secrets are sent to. */
interface AddressChange {
  /** Argument of the address, such as `url`. */
  readonly argument: string;
  readonly from: string;
  /** Undefined: unchanged. */
  readonly to: string | undefined;
  /** Arguments of the stored secrets that are not given again with the change. */
  readonly kept: readonly string[];
}

/**
 * Stored secrets stay with the host that they were given for. Otherwise an editor, who is never shown a secret, could have it sent
 * to a host that they control. Another path of the same origin is no other host.
 * @throws GatewayError `invalid_argument`
 */
export function refuseKeptSecrets({ argument, from, to, kept }: AddressChange): void {
  if (to === undefined || kept.length === 0 || isSameHost(from, to)) return;
  const names = kept.join(" and ");
  throw invalidArgument(
    `${argument}: the stored ${names} would be sent to another host. Give ${names} again with the new ${argument}.`,
  );
}

/** Whether two addresses have the same scheme, host and port. */
export function isSameHost(one: string, other: string): boolean {
  return originOf(one) === originOf(other);
}

/** The text itself where it is no URL. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}
