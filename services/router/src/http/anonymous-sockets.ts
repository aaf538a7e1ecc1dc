import type { Socket } from "node:net";
import type { GatewayError } from "@gatehouse/errors";
import { addressKey, isTrusted, plainAddress, type TrustedProxies } from "../domain/client.ts";
import { shareRefused } from "./share-refusal.ts";

/**
 * Bounds the connections of one address that have not yet presented a valid credential. Trusted proxies are exempt: they carry
 * many clients' requests.
 */
export class AnonymousSockets {
  readonly #perAddressMax: number;
  readonly #proxies: TrustedProxies;
  readonly #counts = new Map<string, number>();
  readonly #addresses = new WeakMap<Socket, string>();

  constructor(perAddressMax: number, proxies: TrustedProxies) {
    this.#perAddressMax = perAddressMax;
    this.#proxies = proxies;
  }

  admit(socket: Socket): GatewayError | undefined {
    const address = plainAddress(socket.remoteAddress);
    if (isTrusted(this.#proxies, address)) return undefined;
    const key = addressKey(address);
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#perAddressMax)
      return shareRefused({ holder: "address", bound: "requestsInFlight", limit: this.#perAddressMax });
    this.#counts.set(key, count + 1);
    this.#addresses.set(socket, key);
    socket.once("close", () => this.release(socket));
    return undefined;
  }

  release(socket: Socket): void {
    const key = this.#addresses.get(socket);
    if (key === undefined) return;
    this.#addresses.delete(socket);
    const count = (this.#counts.get(key) ?? 1) - 1;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
