import type { LogEntry } from "./log-entry.ts";
import type { StatusRange } from "./log-query.ts";

/** Fields by which the gateway log is searched. */
export interface SearchedFields {
  readonly projectUuid?: string | undefined;
  readonly endpointUuid?: string | undefined;
  readonly tokenId?: number | undefined;
  readonly user?: string | undefined;
  readonly route?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly status?: StatusRange | undefined;
  readonly error?: string | undefined;
}

/** An index takes no text of any length; keys with the same beginning cost a search some blocks without a hit, nothing else. */
const keyLengthMax = 200;

const keyOf = (name: string, value: string | number) => `${name}:${value}`.slice(0, keyLengthMax);

/** Key of entries with an error. */
const errorKey = "error";

/** The lowest status of a failure. */
const failureStatusMin = 400;

const classOf = (status: number) => Math.floor(status / 100);

/**
 * Key of a project's failures. A block holds entries of several projects, so that keys of the project and of the class alone send
 * the search for one's failures through every block in which another one's calls fail.
 */
const failureKey = (projectUuid: string, status: number) =>
  `${keyOf("project", projectUuid.toLowerCase())}/${keyOf("class", classOf(status))}`;

/** Texts under which a block is found that holds an entry of this kind. */
export function keysOfEntry(entry: LogEntry): readonly string[] {
  const { project_uuid, endpoint_uuid, token_id, user_name, route, provider, model, status, error } = entry;
  const keys = [keyOf("route", route), keyOf("status", status), keyOf("class", classOf(status))];
  if (typeof project_uuid === "string") {
    keys.push(keyOf("project", project_uuid.toLowerCase()));
    if (status >= failureStatusMin) keys.push(failureKey(project_uuid, status));
  }
  if (typeof endpoint_uuid === "string") keys.push(keyOf("endpoint", endpoint_uuid.toLowerCase()));
  if (typeof token_id === "number") keys.push(keyOf("token", token_id));
  if (typeof user_name === "string") keys.push(keyOf("user", user_name));
  if (typeof provider === "string") keys.push(keyOf("provider", provider));
  if (typeof model === "string") keys.push(keyOf("model", model));
  if (typeof error === "string") keys.push(errorKey);
  return keys;
}

/** Keys that a block has if an entry in it fits. */
export function keysOfSearch(fields: SearchedFields): readonly string[] {
  const { projectUuid, endpointUuid, tokenId, user, route, provider, model, status, error } = fields;
  const keys: string[] = [];
  if (projectUuid !== undefined) keys.push(keyOf("project", projectUuid.toLowerCase()));
  if (endpointUuid !== undefined) keys.push(keyOf("endpoint", endpointUuid.toLowerCase()));
  if (tokenId !== undefined) keys.push(keyOf("token", tokenId));
  if (user !== undefined) keys.push(keyOf("user", user));
  if (route !== undefined) keys.push(keyOf("route", route));
  if (provider !== undefined) keys.push(keyOf("provider", provider));
  if (model !== undefined) keys.push(keyOf("model", model));
  if (status !== undefined)
    keys.push(status.first === status.last ? keyOf("status", status.first) : keyOf("class", classOf(status.first)));
  if (status !== undefined && projectUuid !== undefined && status.first >= failureStatusMin)
    keys.push(failureKey(projectUuid, status.first));
  if (error !== undefined) keys.push(errorKey);
  return keys;
}
