import { Button, Group, Stack } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useNewest } from "../../api/conflict.ts";
import { useIssuers } from "../../api/reads.ts";
import type { Issuer } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RowButton, RowButtons } from "../../parts/row-button.tsx";
import { Subjects } from "./subjects.tsx";

const from = "/projects/$project/issuers";

/** Identity providers whose tokens a project accepts, and the subjects of one of them. */
export function IssuersTab() {
  const { project } = useParams({ from: "/projects/$project" });
  const { issuer: chosen } = useSearch({ from });
  const navigate = useNavigate({ from });
  const [opened, setOpened] = useState<"create" | Issuer>();
  const columns = useMemo(
    () => columnsWith({ onEdit: setOpened, onChoose: (id) => void navigate({ search: { issuer: id } }) }),
    [navigate],
  );
  const create = useMay("svc_create_issuer") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpened("create")}>
      Add issuer
    </Button>
  );
  return (
    <Stack mt="md">
      <Group justify="flex-end">{create}</Group>
      <QueryView query={useIssuers(project)}>
        {({ issuers }) =>
          issuers.length === 0 ? (
            <EmptyState title="No issuers" command={{ operation: "svc_create_issuer", args: { project } }}>
              Accept tokens that your identity provider signs: add its issuer and audience.
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Issuers"
                columns={columns}
                rows={issuers}
                rowKey={({ id }) => String(id)}
                selected={chosen === undefined ? undefined : String(chosen)}
              />
              <Subjects issuer={issuers.find(({ id }) => id === chosen)} />
            </>
          )
        }
      </QueryView>
      {opened !== undefined && <IssuerDrawer opened={opened} project={project} onClose={() => setOpened(undefined)} />}
    </Stack>
  );
}

interface IssuerDrawerProps {
  readonly opened: "create" | Issuer;
  readonly project: string;
  readonly onClose: () => void;
}

function IssuerDrawer({ opened, project, onClose }: IssuerDrawerProps) {
  const done = () => {
    onClose();
    notifyDone("The issuer is saved.");
  };
  if (opened === "create") {
    return (
      <OperationDrawer
        title="Add issuer"
        operation="svc_create_issuer"
        fixed={{ project }}
        submitLabel="Add issuer"
        onDone={done}
        onClose={onClose}
      />
    );
  }
  return <EditDrawer issuer={opened} project={project} onDone={done} onClose={onClose} />;
}

interface EditDrawerProps extends Omit<IssuerDrawerProps, "opened"> {
  readonly issuer: Issuer;
  readonly onDone: () => void;
}

function EditDrawer({ issuer, project, ...props }: EditDrawerProps) {
  const newest = useNewest(issuer, useIssuers(project), (data) => data.issuers.find(({ id }) => id === issuer.id));
  return (
    <OperationDrawer
      title={`Edit ${issuer.issuer}`}
      operation="svc_update_issuer"
      fixed={{ issuer_id: issuer.id }}
      submitLabel="Save"
      {...newest}
      {...props}
    />
  );
}

interface ColumnActions {
  readonly onEdit: (issuer: Issuer) => void;
  readonly onChoose: (id: number) => void;
}

function columnsWith({ onEdit, onChoose }: ColumnActions): readonly Column<Issuer>[] {
  return [
    { id: "issuer", header: "Issuer", sort: ({ issuer }) => issuer, cell: ({ issuer }) => issuer },
    { id: "audience", header: "Audience", cell: ({ audience }) => audience },
    { id: "scopes", header: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
    {
      id: "actions",
      header: "",
      isEnd: true,
      cell: (row) => <Actions issuer={row} onEdit={() => onEdit(row)} onChoose={() => onChoose(row.id)} />,
    },
  ];
}

interface ActionsProps {
  readonly issuer: Issuer;
  readonly onEdit: () => void;
  readonly onChoose: () => void;
}

function Actions({ issuer: { id, issuer }, onEdit, onChoose }: ActionsProps) {
  const remove = useChange("svc_delete_issuer");
  const may = {
    list: useMay("svc_list_subjects"),
    edit: useMay("svc_update_issuer"),
    remove: useMay("svc_delete_issuer"),
  };
  return (
    <RowButtons>
      {may.list && <RowButton onClick={onChoose}>Subjects</RowButton>}
      {may.edit && <RowButton onClick={onEdit}>Edit</RowButton>}
      {may.remove && (
        <ConfirmButton
          label="Delete"
          done={`The issuer ${issuer} is deleted.`}
          consequence={`Every token of ${issuer} stops working immediately, and its subjects are deleted.`}
          onConfirm={async () => await remove.mutateAsync({ issuer_id: id })}
        />
      )}
    </RowButtons>
  );
}
