import { Secret } from "@gatehouse/vault";
import { nkeys } from "@nats-io/transport-node";

/** A user that a broker knows by the public half of a key pair. */
export interface BrokerUserKey {
  /** The key in the broker's configuration. */
  readonly publicKey: string;
  /** The service's secret: `NATS_NKEY_SEED`. */
  readonly seed: Secret;
}

/** Makes a key pair. */
export function createBrokerUser(): BrokerUserKey {
  const pair = nkeys.createUser();
  return { publicKey: pair.getPublicKey(), seed: new Secret(new TextDecoder().decode(pair.getSeed())) };
}

/** Whether a text is the seed of a user's key pair. */
export function isNkeySeed(seed: Secret): boolean {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(seed.reveal())).getPublicKey().startsWith("U");
  } catch {
    return false;
  }
}
