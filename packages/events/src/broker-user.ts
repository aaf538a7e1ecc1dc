import { Secret } from "@gatehouse/vault";
import { credsAuthenticator, nkeys } from "@nats-io/transport-node";

/** A broker's user, identified by the public key of a key pair. */
export interface BrokerUserKey {
  /** Key in the broker's configuration. */
  readonly publicKey: string;
  /** Secret of the service: `NATS_NKEY_SEED`. */
  readonly seed: Secret;
}

/** Generates an nkey (Ed25519) for one service; the broker's configuration gets the public key, only the service the seed. */
export function createBrokerUser(): BrokerUserKey {
  const pair = nkeys.createUser();
  return { publicKey: pair.getPublicKey(), seed: new Secret(new TextDecoder().decode(pair.getSeed())) };
}

/** Whether a secret is the nkey seed of a user (`SU…`); false for seeds of accounts and for damaged ones. */
export function isNkeySeed(seed: Secret): boolean {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(seed.reveal())).getPublicKey().startsWith("U");
  } catch {
    return false;
  }
}

/** Whether the text of a NATS credentials file has a JWT and the nkey seed of a user, as the client library reads them. */
export function isBrokerCredentials(text: string): boolean {
  try {
    const auth = credsAuthenticator(new TextEncoder().encode(`${text}\n`))("nonce");
    return typeof auth === "object" && "nkey" in auth && auth.nkey.startsWith("U");
  } catch {
    return false;
  }
}
