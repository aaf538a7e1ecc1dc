// Parameters of the pages' addresses after the question mark; anything else in them is dropped.

import { type Grouping, groupings } from "./metrics.ts";

type Search = Readonly<Record<string, unknown>>;

export interface DeliverySearch {
  readonly success?: boolean;
  readonly event?: string;
  readonly hours?: number;
  readonly cursor?: string;
  /** A delivery's uuid. */
  readonly delivery?: string;
}

export function readDeliverySearch(search: Search): DeliverySearch {
  const { success } = search;
  const named = { ...texts(search, ["cursor", "delivery", "event"]), ...numbers(search, ["hours"]) };
  return { ...named, ...(typeof success === "boolean" && { success }) };
}

export interface RequestSearch {
  readonly project?: string;
  /** A status or a class such as `4xx`. */
  readonly status?: string;
  readonly request_id?: string;
  /** A uuid. */
  readonly endpoint?: string;
  readonly token_id?: number;
  readonly provider?: string;
  readonly model?: string;
  readonly user?: string;
  readonly route?: string;
  /** A part of the error's message. */
  readonly error?: string;
  /** False while the list stands still. */
  readonly live?: boolean;
  /** True where calls of the Control Plane are listed, too. */
  readonly control?: boolean;
  /** Moments in ISO 8601, instead of `hours`. */
  readonly since?: string;
  readonly until?: string;
  /** Hours back. */
  readonly hours?: number;
  /** The id of the entry that is open. */
  readonly entry?: number;
}

export function readRequestSearch(search: Search): RequestSearch {
  const { live, control } = search;
  return {
    ...texts(search, ["project", "status", "request_id", "endpoint", "provider", "model", "user", "route", "error"]),
    ...texts(search, ["since", "until"]),
    ...numbers(search, ["hours", "entry", "token_id"]),
    ...(live === false && { live }),
    ...(control === true && { control }),
  };
}

export interface OverviewSearch {
  readonly project?: string;
  readonly hours?: number;
  /** Moments in ISO 8601, both or none, instead of `hours`: a stretch of a chart. */
  readonly since?: string;
  readonly until?: string;
  readonly by?: Grouping;
}

export function readOverviewSearch(search: Search): OverviewSearch {
  const by = groupings.find((grouping) => grouping === search.by);
  return { ...texts(search, ["project", "since", "until"]), ...numbers(search, ["hours"]), ...(by && { by }) };
}

export interface AuditSearch {
  readonly project?: string;
  readonly event?: string;
  readonly hours?: number;
  /** The id of the entry that is open. */
  readonly entry?: number;
}

export function readAuditSearch(search: Search): AuditSearch {
  return { ...texts(search, ["project", "event"]), ...numbers(search, ["hours", "entry"]) };
}

interface GuardrailSearch {
  /** The uuid of the endpoint whose policy is shown; the project's where absent. */
  readonly endpoint?: string;
}

export function readGuardrailSearch(search: Search): GuardrailSearch {
  return texts(search, ["endpoint"]);
}

interface GuardrailsPageSearch extends GuardrailSearch {
  /** Whose policies are listed; those of all projects where absent. */
  readonly project?: string;
}

export function readGuardrailsPageSearch(search: Search): GuardrailsPageSearch {
  return texts(search, ["project", "endpoint"]);
}

export interface PlaygroundSearch {
  /** The slugs of the endpoints that are called, one or two. */
  readonly endpoint?: string;
  readonly beside?: string;
  /** Place of the one target of each side that is asked; all in their order where absent. */
  readonly target?: number;
  readonly beside_target?: number;
}

export function readPlaygroundSearch(search: Search): PlaygroundSearch {
  return { ...texts(search, ["endpoint", "beside"]), ...numbers(search, ["target", "beside_target"]) };
}

interface UpstreamSearch {
  /** The id of the upstream that is open. */
  readonly upstream?: number;
}

export function readUpstreamSearch(search: Search): UpstreamSearch {
  return numbers(search, ["upstream"]);
}

interface IssuerSearch {
  /** The id of the issuer whose subjects are shown. */
  readonly issuer?: number;
  /** Cursor of the list of subjects. */
  readonly cursor?: string;
}

export function readIssuerSearch(search: Search): IssuerSearch {
  return { ...numbers(search, ["issuer"]), ...texts(search, ["cursor"]) };
}

/** The named texts of a search, as far as they are there. A number in an address was a text. */
function texts<Name extends string>(search: Search, names: readonly Name[]): Partial<Record<Name, string>> {
  const found = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [];
  });
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}

function numbers<Name extends string>(search: Search, names: readonly Name[]): Partial<Record<Name, number>> {
  const found = names.flatMap((name) => {
    const value = search[name];
    return typeof value === "number" && Number.isSafeInteger(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(found) as Partial<Record<Name, number>>;
}
