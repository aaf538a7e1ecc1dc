import { useQuery } from "@tanstack/react-query";
import { rowsMax } from "./control-plane.ts";
import type { LogEntry, LogName } from "./types.ts";
import { operationKey, useSignedIn } from "./use-control-plane.ts";

/** The entry of a log that a page shows in detail, as named in its URL. */
export interface OpenedEntry {
  readonly entry: number | undefined;
  /** Its moment in ISO 8601, by which it is found outside of the list. */
  readonly at: string | undefined;
  readonly project: string | undefined;
}

/** An opened entry, once read. */
export interface ShownEntry<Entry> {
  readonly id: number | undefined;
  readonly entry: Entry | undefined;
  /** Whether the log does not have it. */
  readonly isMissing: boolean;
}

/**
 * An opened entry: from the list, or read by its moment, since newer entries displace it from a live list, and a shared link is
 * opened later. Entries do not change, so one that was shown stays.
 */
export function useLogEntry<Name extends LogName>(
  name: Name,
  { entry: id, at = "", project }: OpenedEntry,
  listed: readonly LogEntry<Name>[] | undefined,
): ShownEntry<LogEntry<Name>> {
  const { controlPlane } = useSignedIn();
  const atMs = Date.parse(at);
  const isRead = id !== undefined && Number.isFinite(atMs);
  const found = listed?.find((entry) => entry.id === id);
  const { data, isSuccess } = useQuery({
    queryKey: [...operationKey(name, { project, at }), "entry", id],
    queryFn: async ({ signal }) => {
      const moment = { since: new Date(atMs).toISOString(), until: new Date(atMs + 1).toISOString() };
      const asked = { ...moment, limit: rowsMax, ...(project !== undefined && { project }) };
      const { entries } = await controlPlane.call(name, asked, signal);
      return entries.find((entry): entry is LogEntry<Name> => entry.id === id) ?? null;
    },
    enabled: isRead,
    ...(found !== undefined && { initialData: found }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return {
    id,
    entry: found ?? data ?? undefined,
    isMissing: isRead && isSuccess && data === null && found === undefined,
  };
}
