import type { GatewayError } from "@gatehouse/errors";

/** The control plane's answer about a credential that it knows. */
export interface Answer<T extends object> {
  readonly value: T;
  /** Wall-clock time from which the credential counts as revoked; `Infinity` for none. */
  readonly expiresAtMs: number;
  /** The names under which this answer is invalidated, such as `token:7`. */
  readonly subjects: readonly string[];
}

/**
 * Asks for one credential, by its hash and what else is needed to ask: the caller's address, where nothing else is said.
 * Undefined when it is not known, or a GatewayError that says why it is refused. Must settle within its own bound.
 */
export type Ask<T extends object, Question = string> = (
  hash: string,
  question: Question,
) => Promise<Answer<T> | GatewayError | undefined>;

/** Ages, numbers of entries and questions under way of one cache of principals. */
export interface PrincipalCacheBounds {
  /** The hard bound on the age of an answer while the control plane can be asked. */
  readonly freshMs: number;
  /** Time for which an answer is still used while the control plane cannot be asked. */
  readonly staleMs: number;
  readonly entriesMax: number;
  /** Time for which an unknown credential stays unknown; 0 asks every time. */
  readonly unknownMs: number;
  readonly unknownEntriesMax: number;
  readonly questionsInFlightMax: number;
}
