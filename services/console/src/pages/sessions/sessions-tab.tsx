import { Stack, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useSessions, useTokens } from "../../api/reads.ts";
import type { ChatSession } from "../../api/types.ts";
import { useChange, useMay, useRead } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FirstCall } from "../../parts/first-call.tsx";
import { formatCount, shorten } from "../../parts/format.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { randomUuid } from "../../parts/random-uuid.ts";
import { RowButton, RowButtons } from "../../parts/row-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Time } from "../../parts/time.tsx";

/** Chat sessions of a project. Messages are for owners, and read only on request. */
export function SessionsTab() {
  const { project } = useParams({ from: "/projects/$project/sessions" });
  const [opened, setOpened] = useState<ChatSession>();
  const [sessionId] = useState(randomUuid);
  const tokens = useTokens(project).data?.tokens;
  const mayRead = useMay("svc_get_session");
  const columns = useMemo(() => {
    const names = new Map((tokens ?? []).map(({ id, name }) => [id, name]));
    return columnsWith(names, mayRead ? setOpened : undefined);
  }, [tokens, mayRead]);
  return (
    <Stack mt="md">
      <QueryView query={useSessions(project)}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <EmptyState title="No sessions" action={<FirstCall project={project} sessionId={sessionId} />}>
              A call with a session_id begins one: the gateway then remembers what was said. The playground can make
              such calls.
            </EmptyState>
          ) : (
            <DataTable label="Sessions" columns={columns} rows={sessions} rowKey={({ id }) => String(id)} />
          )
        }
      </QueryView>
      {opened !== undefined && <SessionDrawer session={opened} onClose={() => setOpened(undefined)} />}
    </Stack>
  );
}

type Names = ReadonlyMap<number, string>;

function columnsWith(
  names: Names,
  onRead: ((session: ChatSession) => void) | undefined,
): readonly Column<ChatSession>[] {
  return [
    {
      id: "uuid",
      header: "Session",
      sort: ({ session_uuid }) => session_uuid,
      cell: ({ session_uuid }) => (
        <CopyText text={session_uuid} shown={shorten(session_uuid)} label="Copy the session's uuid" />
      ),
    },
    { id: "endpoint", header: "Endpoint", sort: ({ slug }) => slug, cell: ({ slug }) => slug },
    {
      id: "token",
      header: "Token",
      sort: ({ token_id }) => names.get(token_id) ?? "",
      cell: ({ token_id }) => names.get(token_id) ?? `id ${token_id}`,
    },
    {
      id: "messages",
      header: "Messages",
      isEnd: true,
      sort: ({ message_count }) => message_count,
      cell: ({ message_count }) => formatCount(message_count),
    },
    { id: "used", header: "Last used", sort: (row) => row.last_used_at, cell: (row) => <Time at={row.last_used_at} /> },
    { id: "ends", header: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
    { id: "actions", header: "", isEnd: true, cell: (session) => <Actions session={session} onRead={onRead} /> },
  ];
}

interface ActionsProps {
  readonly session: ChatSession;
  readonly onRead: ((session: ChatSession) => void) | undefined;
}

function Actions({ session, onRead }: ActionsProps) {
  const remove = useChange("svc_delete_session");
  const mayRemove = useMay("svc_delete_session");
  return (
    <RowButtons>
      {onRead !== undefined && <RowButton onClick={() => onRead(session)}>Read</RowButton>}
      {mayRemove && (
        <ConfirmButton
          label="Delete"
          done="The session is deleted."
          consequence={`Its ${session.message_count} messages are deleted. The client's next call begins a new session. This cannot be undone.`}
          onConfirm={async () => await remove.mutateAsync({ session_id: session.id })}
        />
      )}
    </RowButtons>
  );
}

function SessionDrawer({ session, onClose }: { readonly session: ChatSession; readonly onClose: () => void }) {
  const query = useRead("svc_get_session", {
    session_id: session.id,
    include_messages: true,
  });
  return (
    <SidePanel onClose={onClose} title="Session">
      <QueryView query={query}>
        {({ messages = [] }) => (
          <Stack gap="xs">
            {messages.map(({ role, content }, index) => (
              // Messages have no identity but their place.
              // oxlint-disable-next-line react/no-array-index-key
              <div key={index} className="console-turn" data-role={role}>
                <Text size="xs" c="dimmed">
                  {role}
                </Text>
                <Text size="sm" className="console-said">
                  {content}
                </Text>
              </div>
            ))}
          </Stack>
        )}
      </QueryView>
    </SidePanel>
  );
}
