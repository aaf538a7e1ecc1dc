import {
  array,
  integer,
  literalOrObject,
  nullable,
  number,
  object,
  oneOf,
  reference,
  shown,
  string,
  timestamp,
  toDate,
  union,
  withDefault,
  writableName,
  writableOptional,
} from "@gatehouse/admin";
import { scopes } from "@gatehouse/principal";

/** Characters of a name for people. */
export const nameLengthMax = 200;
/** Highest rate limit, requests. */
export const rateLimitMax = 1_000_000_000;
const scopesMax = 16;

/** Settings to write, and the names of the arguments that differ; absent settings stay as they are. */
export interface SettingsChange<Settings> {
  readonly settings: Partial<Settings>;
  readonly changed: readonly string[];
}

/** A name for people, of {@link nameLengthMax} characters at most. */
export const name = writableName(string({ description: "A name for people.", lengthMax: nameLengthMax }));
/** Creation time of a row; read-only. */
export const createdAt = shown(reference("When it was made."));
/** Last use of a token or key; written at most once a minute. */
export const lastUsedAt = shown(nullable(reference("When it was used last, to about a minute.")));
/** Time at which a token or key stops working; null: never. */
export const expiresAt = writableOptional(
  nullable(timestamp("When it stops working, e.g. 2027-01-31T12:00:00Z; null is never.")),
  { store: (given) => (given === null ? null : toDate(given)) },
);

const limit = (time: string) =>
  nullable(integer({ description: `Requests ${time}; null is unlimited.`, min: 1, max: rateLimitMax }));

/** Limits of a project or token by window; null: none. */
export const rateLimits = {
  rate_limit_per_minute: writableOptional(limit("a minute")),
  rate_limit_per_hour: writableOptional(limit("an hour")),
};

/** Longest grace period while the ledger is unavailable, during which each replica counts alone. */
const ledgerGraceSecondsMax = 300;
const refuse = "refuse";

/** `refuse`, or the grace period; the column stores seconds, null for `refuse`. */
export const onLedgerUnavailable = writableOptional(
  withDefault(
    literalOrObject(
      refuse,
      { allow_for_seconds: integer({ description: "Seconds of an outage.", min: 1, max: ledgerGraceSecondsMax }) },
      `Calls with limits or a budget while the database of the ledger is away: "refuse" (503), or {"allow_for_seconds": 60} to go on so long by what was leased and last known.`,
    ),
    refuse,
  ),
  {
    column: "ledgerGraceSeconds",
    store: (given) => (given === refuse ? null : given.allow_for_seconds),
    show: ({ ledgerGraceSeconds }: { readonly ledgerGraceSeconds: number | null }) =>
      ledgerGraceSeconds === null ? refuse : { allow_for_seconds: ledgerGraceSeconds },
    shownAs: union(oneOf("503.", [refuse]), object({ allow_for_seconds: number() })),
  },
);

/** Scopes of tokens; duplicates are allowed. */
export const scopeList = array(oneOf("A scope.", scopes), {
  description: "At most what its tokens may do.",
  min: 0,
  max: scopesMax,
  unknownMembers: "Unknown scope(s)",
});

/** The members of a list without duplicates, in order. */
export function unrepeated<T>(members: readonly T[]): readonly T[] {
  return [...new Set(members)];
}
