import { invalidArgument } from "@gatehouse/errors";

/** Stored form of a secret: enough to derive it from the project's root key and to verify the result. */
export interface SecretRecord {
  /** Number of the rotation, counted from the webhook's creation. */
  readonly version: number;
  readonly salt: Uint8Array;
  /** SHA-256 of the plaintext. */
  readonly digest: Uint8Array;
  /** Last four characters of the plaintext. */
  readonly hint: string;
}

/** Secrets that sign for a webhook: the latest and, for a while after a rotation, the previous one. */
export interface SigningSecrets {
  readonly latest: SecretRecord;
  readonly previous: PreviousSecret | undefined;
}

/** The previous secret, which also signs until it expires. */
export interface PreviousSecret {
  readonly record: SecretRecord;
  readonly expiresAt: Date;
  /** Whether it stays the first signer until then, so that receivers can be updated in the meantime. */
  readonly isStaged: boolean;
}

/** Secrets that sign a delivery at one time. */
interface Signers {
  /** Signs the legacy header, and the standard one first. */
  readonly first: SecretRecord;
  /** Signs the standard header in addition. */
  readonly second: SecretRecord | undefined;
  /** Whether the second one is the next secret, which has a separate header. */
  readonly isStaged: boolean;
}

/** A day, in which receivers have to adopt the new secret. */
export const overlapSecondsDefault = 86_400;
/** A week. */
export const overlapSecondsMax = 604_800;

/** Secrets that sign at a time; the one that receivers know comes first. */
export function signersAt({ latest, previous }: SigningSecrets, now: Date): Signers {
  if (previous === undefined || previous.expiresAt <= now) return { first: latest, second: undefined, isStaged: false };
  const { record, isStaged } = previous;
  return isStaged ? { first: record, second: latest, isStaged } : { first: latest, second: record, isStaged };
}

/** A next secret, and its overlap with the latest. */
export interface Rotation {
  readonly next: SecretRecord;
  readonly overlapSeconds: number;
  readonly staged: boolean;
  readonly now: Date;
}

/**
 * Makes a new secret the latest. The former first signer stays for the overlap; any other secret stops signing at once, so that
 * there are never more than two.
 */
export function rotate(secrets: SigningSecrets, { next, overlapSeconds, staged, now }: Rotation): SigningSecrets {
  if (overlapSeconds === 0) return { latest: next, previous: undefined };
  const { first } = signersAt(secrets, now);
  const expiresAt = new Date(now.getTime() + overlapSeconds * 1_000);
  return { latest: next, previous: { record: first, expiresAt, isStaged: staged } };
}

/** Makes the latest secret the only signer. @throws GatewayError `invalid_argument` where it is already */
export function promote(secrets: SigningSecrets, now: Date): SigningSecrets {
  if (signersAt(secrets, now).second === undefined) {
    throw invalidArgument("The webhook has no rotation to promote; its secret signs alone.");
  }
  return { latest: secrets.latest, previous: undefined };
}

/** Source of a webhook's secrets, which are derived from its project's root key. */
export interface SecretSource {
  readonly projectUuid: string;
  /** The sealed root key, as stored. */
  readonly sealedRoot: string;
  readonly webhookId: number;
}
