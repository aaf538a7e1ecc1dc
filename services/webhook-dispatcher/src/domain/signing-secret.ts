import { invalidArgument } from "@gatehouse/errors";

/** The stored form of a secret: enough to derive it again with the project's root key, and to know that it came out right. */
export interface SecretRecord {
  /** Counts up with each rotation of its webhook. */
  readonly version: number;
  readonly salt: Uint8Array;
  /** SHA-256 of the plaintext. */
  readonly digest: Uint8Array;
  /** The plaintext's last four characters. */
  readonly hint: string;
}

/** The secrets that sign for a webhook: the newest and, for a while after a rotation, the one before it. */
export interface SigningSecrets {
  readonly latest: SecretRecord;
  readonly previous: PreviousSecret | undefined;
}

/** The secret before the latest, which signs too until it expires. */
export interface PreviousSecret {
  readonly record: SecretRecord;
  readonly expiresAt: Date;
  /** Whether it stays the first signer until then, so that receivers can be moved at leisure. */
  readonly isStaged: boolean;
}

/** Secrets that sign a delivery at one moment. */
interface Signers {
  /** Signs the legacy header, and the standard one first. */
  readonly first: SecretRecord;
  /** Signs the standard header beside it. */
  readonly second: SecretRecord | undefined;
  /** Whether the second one is the secret to come, which has a separate header. */
  readonly isStaged: boolean;
}

/** A day: receivers have that long to take the new secret. */
export const overlapSecondsDefault = 86_400;
/** A week. */
export const overlapSecondsMax = 604_800;

/** Secrets that sign at a moment, the one that receivers know first. */
export function signersAt({ latest, previous }: SigningSecrets, now: Date): Signers {
  if (previous === undefined || previous.expiresAt <= now) return { first: latest, second: undefined, isStaged: false };
  const { record, isStaged } = previous;
  return isStaged ? { first: record, second: latest, isStaged } : { first: latest, second: record, isStaged };
}

/** A secret that is to follow the latest, and the overlap of both. */
export interface Rotation {
  /** The secret that was just made. */
  readonly next: SecretRecord;
  readonly overlapSeconds: number;
  readonly staged: boolean;
  readonly now: Date;
}

/**
 * Puts a new secret in front. The one that was first until now stays for the overlap; any other one stops signing at once, so
 * that there are never more than two.
 */
export function rotate(secrets: SigningSecrets, { next, overlapSeconds, staged, now }: Rotation): SigningSecrets {
  if (overlapSeconds === 0) return { latest: next, previous: undefined };
  const { first } = signersAt(secrets, now);
  const expiresAt = new Date(now.getTime() + overlapSeconds * 1_000);
  return { latest: next, previous: { record: first, expiresAt, isStaged: staged } };
}

/** Lets the newest secret sign alone. @throws GatewayError `invalid_argument` where it does already. */
export function promote(secrets: SigningSecrets, now: Date): SigningSecrets {
  if (signersAt(secrets, now).second === undefined) {
    throw invalidArgument("The webhook has no rotation to promote; its secret signs alone.");
  }
  return { latest: secrets.latest, previous: undefined };
}

/** Secrets of one webhook, made and made again from its project's root key. */
export interface SecretSource {
  readonly projectUuid: string;
  /** The root key in the sealed form in which it is stored. */
  readonly sealedRoot: string;
  readonly webhookId: number;
}
