// Parameters of the pages' URLs after the question mark; others are dropped.

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
  /** False while the list is paused. */
  readonly live?: boolean;
  /** True to include calls of the Control Plane. */
  readonly control?: boolean;
  /** Moments in ISO 8601, instead of `hours`. */
  readonly since?: string;
  readonly until?: string;
  /** Hours back. */
  readonly hours?: number;
  /** Id and moment of the open entry. */
  readonly entry?: number;
  readonly at?: string;
}

export function readRequestSearch(search: Search): RequestSearch {
  const { live, control } = search;
  return {
    ...texts(search, ["project", "status", "request_id", "endpoint", "provider", "model", "user", "route", "error"]),
    ...texts(search, ["since", "until", "at"]),
    ...numbers(search, ["hours", "entry", "token_id"]),
    ...(live === false && { live }),
    ...(control === true && { control }),
  };
}

export interface OverviewSearch {
  readonly project?: string;
  readonly hours?: number;
  /** Period of a chart instead of `hours`: times in ISO 8601, both or neither. */
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
  /** Id and moment of the open entry. */
  readonly entry?: number;
  readonly at?: string;
}

export function readAuditSearch(search: Search): AuditSearch {
  return { ...texts(search, ["project", "event", "at"]), ...numbers(search, ["hours", "entry"]) };
}

interface GuardrailSearch {
  /** Uuid of the endpoint whose policy is shown; absent: the project's. */
  readonly endpoint?: string;
}

export function readGuardrailSearch(search: Search): GuardrailSearch {
  return texts(search, ["endpoint"]);
}

interface GuardrailsPageSearch extends GuardrailSearch {
  /** Project whose policies are listed; absent: all. */
  readonly project?: string;
}

export function readGuardrailsPageSearch(search: Search): GuardrailsPageSearch {
  return texts(search, ["project", "endpoint"]);
}

export interface PlaygroundSearch {
  /** Slugs of the called endpoints, one or two. */
  readonly endpoint?: string;
  readonly beside?: string;
  /** Position of the only target of each side to call; absent: all in order. */
  readonly target?: number;
  readonly beside_target?: number;
}

export function readPlaygroundSearch(search: Search): PlaygroundSearch {
  return { ...texts(search, ["endpoint", "beside"]), ...numbers(search, ["target", "beside_target"]) };
}

interface UpstreamSearch {
  /** Id of the open upstream. */
  readonly upstream?: number;
}

export function readUpstreamSearch(search: Search): UpstreamSearch {
  return numbers(search, ["upstream"]);
}

interface IssuerSearch {
  /** Id of the issuer whose subjects are shown. */
  readonly issuer?: number;
  /** Cursor of the list of subjects. */
  readonly cursor?: string;
}

export function readIssuerSearch(search: Search): IssuerSearch {
  return { ...numbers(search, ["issuer"]), ...texts(search, ["cursor"]) };
}

/** The named texts of a search, where present. Numbers in a URL are converted back to text. */
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
