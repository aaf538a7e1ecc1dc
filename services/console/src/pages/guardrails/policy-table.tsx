import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Arguments } from "../../api/control-plane.ts";
import type { ArgumentsOf } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { useHasRested } from "../../parts/scroll-rest.ts";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../parts/use-now.ts";
import { checksInForce } from "./checks-in-force.ts";

/** A project or an endpoint, which may have a policy. */
export interface PolicyOwner {
  readonly name: string;
  readonly project: string;
  /** Absent: the project itself. */
  readonly endpoint?: string;
}

/** Arguments that identify an owner in guardrail operations. */
export function subjectOf({ project, endpoint }: Pick<PolicyOwner, "project" | "endpoint">): Arguments {
  return endpoint === undefined ? { project } : { endpoint };
}

interface PolicyTableProps {
  readonly owners: readonly PolicyOwner[];
  readonly shown: string | undefined;
}

/** Active policies. Each is read once its row stays in view, so that a long list reads only those looked at. */
export function PolicyTable({ owners, shown }: PolicyTableProps) {
  const mayCount = useMay("svc_count_findings");
  const mayEdit = useMay("svc_set_guardrails");
  const columns = useMemo(() => columnsWith(mayCount, mayEdit), [mayCount, mayEdit]);
  return <DataTable label="Policies" columns={columns} rows={owners} rowKey={keyOf} selected={shown} />;
}

function keyOf({ project, endpoint }: PolicyOwner): string {
  return endpoint ?? project;
}

function columnsWith(mayCount: boolean, mayEdit: boolean): readonly Column<PolicyOwner>[] {
  const counts: Column<PolicyOwner> = {
    id: "findings",
    header: "Findings, 7 days",
    isEnd: true,
    cell: (owner) => <FindingsOf owner={owner} />,
  };
  return [
    { id: "name", header: "Policy of", sort: ({ name }) => name, cell: (owner) => <OwnerLink owner={owner} /> },
    { id: "checks", header: "Checks in force", cell: (owner) => <Checks owner={owner} /> },
    { id: "changed", header: "Changed", cell: (owner) => <Changed owner={owner} /> },
    ...(mayCount ? [counts] : []),
    { id: "edit", header: "", isEnd: true, cell: (owner) => <EditLink owner={owner} mayEdit={mayEdit} /> },
  ];
}

interface CellProps {
  readonly owner: PolicyOwner;
}

function OwnerLink({ owner: { name, project, endpoint } }: CellProps) {
  return (
    <Link to="/guardrails" search={{ project, ...(endpoint !== undefined && { endpoint }) }} className="console-link">
      {name}
    </Link>
  );
}

/** Reads data of a row, except while it is scrolled past, which would cause thousands of calls. */
function useRowRead<Name extends "svc_get_guardrails" | "svc_count_findings">(name: Name, owner: PolicyOwner) {
  return useRead(name, subjectOf(owner) as ArgumentsOf<Name>, { enabled: useHasRested() });
}

function Checks({ owner }: CellProps) {
  const { data, error } = useRowRead("svc_get_guardrails", owner);
  if (data === undefined) return error === null ? "…" : "Unavailable";
  const checks = checksInForce(data);
  if (checks.length === 0) return <Dimmed>None</Dimmed>;
  const isInherited = owner.endpoint !== undefined && data["source"] === "project";
  return (
    <>
      {checks.join(", ")} {isInherited && <Dimmed>(of its project)</Dimmed>}
    </>
  );
}

function Changed({ owner }: CellProps) {
  const { data } = useRowRead("svc_get_guardrails", owner);
  const at = data?.["updated_at"];
  return data !== undefined && <Time at={typeof at === "string" ? at : null} />;
}

const countedMs = 604_800_000;

function FindingsOf({ owner }: CellProps) {
  const { data } = useRowRead("svc_count_findings", owner);
  const since = new Date(useNow() - countedMs).toISOString();
  const found = (data?.counts ?? []).filter(({ day }) => day >= since.slice(0, "YYYY-MM-DD".length));
  return data !== undefined && formatCount(found.reduce((sum, { count }) => sum + count, 0));
}

interface EditLinkProps extends CellProps {
  readonly mayEdit: boolean;
}

function EditLink({ owner: { name, project, endpoint }, mayEdit }: EditLinkProps) {
  const deed = mayEdit ? "Edit" : "Open";
  return (
    <Link
      to="/projects/$project/guardrails"
      params={{ project }}
      search={endpoint === undefined ? {} : { endpoint }}
      className="console-link"
      aria-label={`${deed} the policy of ${name}`}
    >
      {deed}
    </Link>
  );
}

function Dimmed({ children }: { readonly children: string }) {
  return (
    <Text span inherit c="dimmed">
      {children}
    </Text>
  );
}
