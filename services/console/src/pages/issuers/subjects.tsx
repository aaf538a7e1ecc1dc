import { Button, Group, Stack, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { rowsMax } from "../../api/control-plane.ts";
import type { Issuer, Subject } from "../../api/types.ts";
import { useChange, useMay, useRead } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { Pager } from "../../parts/pager.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

const from = "/projects/$project/issuers";

/** Subjects of an issuer that have called; nothing without a chosen issuer. */
export function Subjects({ issuer }: { readonly issuer: Issuer | undefined }) {
  return issuer === undefined ? null : <SubjectList key={issuer.id} issuer={issuer} />;
}

function SubjectList({ issuer: { id, issuer } }: { readonly issuer: Issuer }) {
  const { cursor } = useSearch({ from });
  const navigate = useNavigate({ from });
  const [isRevoking, setIsRevoking] = useState(false);
  const query = useRead("svc_list_subjects", {
    issuer_id: id,
    limit: rowsMax,
    ...(cursor !== undefined && { cursor }),
  });
  const mayRevoke = useMay("svc_revoke_subject");
  const columns = useMemo(() => columnsWith(id), [id]);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Subjects of {issuer}</Title>
        {mayRevoke && (
          <Button variant="default" onClick={() => setIsRevoking(true)}>
            Revoke by name
          </Button>
        )}
      </Group>
      <QueryView query={query}>
        {({ subjects, next_cursor }) => (
          <>
            {subjects.length === 0 ? (
              <EmptyState title="No subjects yet">
                A subject appears here with its first call: send one with a token that this issuer has signed.
              </EmptyState>
            ) : (
              <DataTable label="Subjects" columns={columns} rows={subjects} rowKey={(row) => String(row.id)} />
            )}
            <Pager
              next={next_cursor}
              cursor={cursor}
              onMove={(next) => void navigate({ search: { issuer: id, ...(next !== undefined && { cursor: next }) } })}
            />
          </>
        )}
      </QueryView>
      {isRevoking && (
        <OperationDrawer
          title="Revoke a subject"
          operation="svc_revoke_subject"
          fixed={{ issuer_id: id }}
          submitLabel="Revoke"
          onDone={() => {
            setIsRevoking(false);
            notifyDone("The subject is revoked.");
          }}
          onClose={() => setIsRevoking(false)}
        />
      )}
    </Stack>
  );
}

function columnsWith(issuer: number): readonly Column<Subject>[] {
  return [
    { id: "subject", header: "Subject", sort: ({ subject }) => subject, cell: ({ subject }) => subject },
    { id: "state", header: "State", cell: (row) => <SubjectState isActive={row.is_active} /> },
    { id: "created", header: "First seen", cell: ({ created_at }) => <Time at={created_at} /> },
    { id: "used", header: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      id: "actions",
      header: "",
      isEnd: true,
      cell: (row) => row.is_active && <RevokeButton issuer={issuer} subject={row.subject} />,
    },
  ];
}

function SubjectState({ isActive }: { readonly isActive: boolean }) {
  return isActive ? <Status kind="good">Active</Status> : <Status kind="off">Revoked</Status>;
}

function RevokeButton({ issuer, subject }: { readonly issuer: number; readonly subject: string }) {
  const revoke = useChange("svc_revoke_subject");
  if (!useMay("svc_revoke_subject")) return null;
  return (
    <ConfirmButton
      label="Revoke"
      done={`${subject} is revoked.`}
      consequence={`Every token of ${subject} is refused from now on, and its open streams end.`}
      onConfirm={async () => await revoke.mutateAsync({ issuer_id: issuer, subject })}
    />
  );
}
