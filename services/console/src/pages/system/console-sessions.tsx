import { Stack, Title } from "@mantine/core";
import { useMemo } from "react";
import { useConsoleSessions } from "../../api/reads.ts";
import type { ConsoleSession } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Time } from "../../parts/time.tsx";

/** Sessions of the console, as far as the viewer may see them. */
export function ConsoleSessions() {
  const mayEnd = useMay("svc_end_console_session");
  const columns = useMemo(() => columnsWith(mayEnd), [mayEnd]);
  return (
    <Stack gap="xs">
      <Title order={2}>Signed in</Title>
      <QueryView query={useConsoleSessions()} lines={2}>
        {({ console_sessions: sessions }) =>
          sessions.length === 0 ? (
            <EmptyState title="No one is signed in">People appear here as they sign in at the console.</EmptyState>
          ) : (
            <DataTable label="Console sessions" columns={columns} rows={sessions} rowKey={({ id }) => String(id)} />
          )
        }
      </QueryView>
    </Stack>
  );
}

function columnsWith(mayEnd: boolean): readonly Column<ConsoleSession>[] {
  const shown: readonly Column<ConsoleSession>[] = [
    { id: "name", header: "Admin key", sort: ({ name }) => name, cell: ({ name }) => name },
    { id: "role", header: "Role", cell: ({ role }) => role },
    ...placeColumns,
  ];
  if (!mayEnd) return shown;
  return [...shown, { id: "actions", header: "", isEnd: true, cell: (session) => <EndButton session={session} /> }];
}

/** Place and last use of a session. */
export const placeColumns: readonly Column<ConsoleSession>[] = [
  { id: "address", header: "Address", cell: ({ ip_address }) => ip_address ?? "" },
  { id: "browser", header: "Browser", cell: ({ user_agent }) => browserText(user_agent ?? "") },
  { id: "since", header: "Since", cell: ({ created_at }) => <Time at={created_at} /> },
  { id: "used", header: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { id: "ends", header: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
];

/** Browsers by their names in User-Agent, distinctive ones first: most contain Chrome, and nearly all Safari. */
const browsers = [
  ["Edge", /Edg\/(\d+)/],
  ["Firefox", /Firefox\/(\d+)/],
  ["Chrome", /Chrome\/(\d+)/],
  ["Safari", /Version\/(\d+).*Safari/],
] as const;

/** A known browser with its version, else the whole text. */
function browserText(userAgent: string): string {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  return userAgent;
}

/** Ends one session after a confirmation. */
export function EndButton({ session: { id, name } }: { readonly session: ConsoleSession }) {
  const end = useChange("svc_end_console_session");
  return (
    <ConfirmButton
      label="End"
      done={`A session of ${name} is ended.`}
      consequence={`This browser of ${name} has to sign in again. The admin key stays as it is.`}
      onConfirm={async () => await end.mutateAsync({ session_id: id })}
    />
  );
}
