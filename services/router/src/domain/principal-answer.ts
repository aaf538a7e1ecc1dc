import type { GatewayError } from "@gatehouse/errors";

/** Control plane's answer about a valid credential, in the form in which `PrincipalCache` stores it. */
export interface Answer<T extends object> {
  readonly value: T;
  /** Wall-clock time from which the credential counts as revoked, milliseconds; `Infinity`: never. */
  readonly expiresAtMs: number;
  /** Keys under which this answer is invalidated, such as `token:7`. */
  readonly subjects: readonly string[];
}

/**
 * Looks up one credential by its hash and further data, by default the caller's address. Undefined: unknown; GatewayError: the
 * reason of a refusal. Must settle within its own bound.
 */
export type Ask<T extends object, Question = string> = (
  hash: string,
  question: Question,
) => Promise<Answer<T> | GatewayError | undefined>;

/** Bounds of one cache of principals. */
export interface PrincipalCacheBounds {
  /** Longest age of an answer while the control plane can be asked. */
  readonly freshMs: number;
  /** Longest age of an answer while the control plane cannot be asked. */
  readonly staleMs: number;
  readonly entriesMax: number;
  /** Time for which an unknown credential is cached; 0: every look-up asks. */
  readonly unknownMs: number;
  readonly unknownEntriesMax: number;
  readonly questionsInFlightMax: number;
}
