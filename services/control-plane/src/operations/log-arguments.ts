import type { Range } from "@gatehouse/proto/logbook";
import { type JsonObject } from "@gatehouse/json-rpc";
import { optional } from "../domain/arguments.ts";
import { timestamp } from "../domain/timestamp.ts";
import { parseUuid } from "../domain/uuid.ts";
import type { ProjectStore } from "../store/projects.ts";
import { page, project } from "./shared-arguments.ts";

/** What both logs are asked by. */
export const logArguments = {
  project: optional(project),
  since: optional(timestamp("Entries from this moment on.")),
  until: optional(timestamp("Entries before this moment.")),
  ...page,
};

interface RangeArguments {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export function toRange({ since, until, limit, cursor = "" }: RangeArguments): Range {
  return { since, until, limit, cursor };
}

/** A page of a log. @param entries already in the contract's form */
export function encodeLogPage(entries: readonly JsonObject[], nextCursor: string): JsonObject {
  return { entries, next_cursor: nextCursor === "" ? null : nextCursor };
}

/**
 * Asks for what is logged of a project, or of all. A deleted project still has its entries; one that has none must exist.
 * @throws GatewayError `not_found`.
 */
export async function askAbout<Page extends { readonly entries: readonly unknown[] }>(
  uuid: string | undefined,
  projects: Pick<ProjectStore, "get">,
  ask: (projectUuid: string) => Promise<Page>,
): Promise<Page> {
  if (uuid === undefined) return await ask("");
  const known = parseUuid(uuid) ?? (await projects.get(uuid)).uuid;
  const answer = await ask(known);
  if (answer.entries.length === 0) await projects.get(known);
  return answer;
}
