import { Code, Stack, Text, Title } from "@mantine/core";
import type { ArgumentsOf, AuditEntry, ListName } from "../../api/types.ts";
import { useMay, useReadAll } from "../../api/use-control-plane.ts";
import { Facts } from "../../parts/facts.tsx";
import { toLabel } from "../../parts/format.ts";
import { QueryView } from "../../parts/query-view.tsx";

type Row = Readonly<Record<string, unknown>>;
type Lists = Readonly<Record<string, readonly Row[] | undefined>>;

/** List of a kind of item, and the member by which an event names one. */
interface Kind {
  readonly operation: ListName;
  /** Name of the list in the operation's result. */
  readonly list: string;
  /** In the event's metadata. */
  readonly named: string;
  /** In a row of the list. */
  readonly id: string;
}

/** By the first part of an event's key. */
const kinds: Readonly<Record<string, Kind>> = {
  endpoint: { operation: "svc_list_endpoints", list: "endpoints", named: "endpoint", id: "uuid" },
  token: { operation: "svc_list_tokens", list: "tokens", named: "token_id", id: "id" },
  issuer: { operation: "svc_list_issuers", list: "issuers", named: "issuer_id", id: "id" },
  upstream: { operation: "svc_list_upstreams", list: "upstreams", named: "upstream_id", id: "id" },
  oauth_connection: {
    operation: "svc_list_oauth_connections",
    list: "oauth_connections",
    named: "connection_id",
    id: "id",
  },
  webhook: { operation: "svc_list_webhooks", list: "webhooks", named: "webhook_id", id: "id" },
  provider: { operation: "svc_list_providers", list: "providers", named: "provider_id", id: "id" },
  credential: { operation: "svc_list_credentials", list: "credentials", named: "credential_id", id: "id" },
  project: { operation: "svc_list_projects", list: "projects", named: "uuid", id: "uuid" },
};

interface ChangedFieldsProps {
  readonly entry: AuditEntry;
  readonly changed: readonly string[];
}

/** Fields that a change named, with their present values: events contain no values. */
export function ChangedFields({ entry, changed }: ChangedFieldsProps) {
  const kind = kinds[entry.event.slice(0, entry.event.indexOf("."))];
  const maySee = useMay(kind?.operation ?? "");
  return (
    <Stack gap="xs" component="section" aria-label="Changed">
      <Title order={2}>Changed</Title>
      {kind === undefined || !maySee ? (
        <Text size="sm">{changed.map(toLabel).join(", ")}</Text>
      ) : (
        <Present kind={kind} entry={entry} changed={changed} />
      )}
    </Stack>
  );
}

function Present({ kind, entry, changed }: ChangedFieldsProps & { readonly kind: Kind }) {
  const { project, metadata } = entry;
  const isOfProject = project !== null && kind.named !== "uuid";
  const args = (isOfProject ? { project: project.uuid } : {}) as ArgumentsOf<ListName>;
  const id = kind.named === "uuid" ? project?.uuid : metadata[kind.named];
  return (
    <QueryView query={useReadAll(kind.operation, args)}>
      {(page) => {
        const { [kind.list]: rows = [] } = page as unknown as Lists;
        const row = rows.find((candidate) => candidate[kind.id] === id);
        if (row === undefined) {
          return <Text size="sm">{changed.map(toLabel).join(", ")}. It has been deleted since.</Text>;
        }
        return (
          <>
            <Facts facts={changed.map((name) => [toLabel(name), <Value key={name} value={row[name]} />] as const)} />
            <Text size="sm" c="dimmed">
              Current values; the log records which fields changed, not their values.
            </Text>
          </>
        );
      }}
    </QueryView>
  );
}

/** A field missing in a row is never shown, such as a secret. */
function Value({ value }: { readonly value: unknown }) {
  if (value === undefined) return "not shown";
  if (value === null) return "none";
  if (typeof value === "object") return <Code block>{JSON.stringify(value, null, 2)}</Code>;
  return <span className="console-said">{typeof value === "string" ? value : JSON.stringify(value)}</span>;
}
