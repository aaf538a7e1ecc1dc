import { Group, Paper, Stack, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useLimitUse } from "../../api/limit-use.ts";
import { useProject, useTokens } from "../../api/reads.ts";
import type { Token } from "../../api/types.ts";
import { Facts } from "../../parts/facts.tsx";
import { HistoryButton } from "../../parts/history-button.tsx";
import { LastDay } from "../../parts/last-day.tsx";
import { NotInProject } from "../../parts/not-in-project.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { ActiveStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../parts/use-now.ts";
import { useWindowTitle } from "../../parts/use-window-title.ts";
import { visibleName } from "../../parts/visible-name.ts";
import { EditToken } from "./edit-token.tsx";
import { NewToken, type ShownToken } from "./new-token.tsx";
import { TokenActions } from "./token-actions.tsx";
import { TokenLimits } from "./token-limits.tsx";

/** Page of one token: its rights, use and history. */
export function TokenPage() {
  const { project, token: id } = useParams({ from: "/projects/$project/tokens/$token" });
  const { data: place } = useProject(project);
  const [edited, setEdited] = useState<Token>();
  // Kept when the list is refreshed, since the plaintext is shown only once.
  const [rotated, setRotated] = useState<ShownToken>();
  return (
    <Stack mt="md">
      {rotated !== undefined && place !== undefined && (
        <NewToken token={rotated} project={place} onDone={() => setRotated(undefined)} />
      )}
      <QueryView query={useTokens(project)}>
        {({ tokens }) => {
          const token = tokens.find((each) => String(each.id) === id);
          if (token !== undefined) {
            return <TokenView {...{ token, project }} onRotated={setRotated} onEdit={() => setEdited(token)} />;
          }
          return <NotInProject kind="token" project={project} />;
        }}
      </QueryView>
      {edited !== undefined && <EditToken token={edited} onClose={() => setEdited(undefined)} />}
    </Stack>
  );
}

interface TokenViewProps {
  readonly token: Token;
  readonly project: string;
  readonly onRotated: (token: ShownToken) => void;
  readonly onEdit: () => void;
}

function TokenView({ token, project, onRotated, onEdit }: TokenViewProps) {
  const { id, name, is_active, environment, created_at, last_used_at, expires_at } = token;
  const use = useLimitUse(project, useNow(), true);
  useWindowTitle(name, "Tokens", useProject(project).data?.name ?? "");
  return (
    <>
      <Paper className="console-panel" p="md">
        <Stack gap="sm">
          <Group justify="space-between">
            <Title order={2}>{visibleName(name)}</Title>
            <Group gap={4}>
              <HistoryButton name={name} kind="token" project={project} identity={["token_id", id]} />
              <TokenActions {...{ token, onRotated, onEdit }} />
            </Group>
          </Group>
          <Facts
            facts={[
              ["State", <ActiveStatus key="state" isActive={is_active} />],
              ["Scopes", listText(token.scopes, "none")],
              ["Endpoints", listText(token.endpoints, "all")],
              ["Tools", listText(token.tools, "all")],
              ["Environment", environment],
              ["Limits, used now", <TokenLimits key="limits" token={token} use={use} />],
              ["Created", <Time key="created" at={created_at} />],
              ["Last used", <Time key="used" at={last_used_at} />],
              ["Expires", <Time key="expires" at={expires_at} />],
            ]}
          />
        </Stack>
      </Paper>
      <LastDay project={project} of={{ token_id: id }} />
    </>
  );
}

function listText(names: readonly string[] | null | undefined, none: string): string {
  return names === null || names === undefined || names.length === 0 ? none : names.join(", ");
}
