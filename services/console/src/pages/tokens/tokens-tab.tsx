import { Button, Group, Stack } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type LimitUse, useLimitUse } from "../../api/limit-use.ts";
import { useProject, useTokens } from "../../api/reads.ts";
import type { Token } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { useShownSecrets } from "../../parts/shown-secrets.ts";
import { ActiveStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../parts/use-now.ts";
import { visibleName } from "../../parts/visible-name.ts";
import { EditToken, tokenFields } from "./edit-token.tsx";
import { NewToken, type ShownToken } from "./new-token.tsx";
import { TokenActions } from "./token-actions.tsx";
import { TokenLimits } from "./token-limits.tsx";

/** A project's access tokens. */
export function TokensTab() {
  const { project } = useParams({ from: "/projects/$project" });
  const { data: place } = useProject(project);
  const [isCreating, setIsCreating] = useState(false);
  const { shown, show, confirm } = useShownSecrets<ShownToken>();
  const [edited, setEdited] = useState<Token>();
  const tokens = useTokens(project);
  const use = useLimitUse(project, useNow(), tokens.data?.tokens.some(isLimited) === true);
  const columns = useMemo(() => columnsWith(use, show, setEdited), [use, show]);
  const create = useMay("svc_create_token") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setIsCreating(true)}>
      Create token
    </Button>
  );
  const showNew = (token: ShownToken) => {
    setIsCreating(false);
    show(token);
  };
  return (
    <Stack mt="md">
      <Group justify="flex-end">{create}</Group>
      {place !== undefined &&
        shown.map((token) => <NewToken key={token.id} token={token} project={place} onDone={() => confirm(token)} />)}
      <QueryView query={tokens}>
        {({ tokens: rows }) =>
          rows.length === 0 ? (
            <EmptyState title="No tokens yet" command={{ operation: "svc_create_token", args: { project } }}>
              Clients of this project send a token with every call: create one for each of them.
            </EmptyState>
          ) : (
            <DataTable label="Tokens" columns={columns} rows={rows} rowKey={({ id }) => String(id)} lines={2} />
          )
        }
      </QueryView>
      {isCreating && (
        <OperationDrawer
          title="Create token"
          operation="svc_create_token"
          fields={tokenFields}
          fixed={{ project }}
          prefilled={{ scopes: scopesFor(place?.project_type) }}
          submitLabel="Create token"
          onDone={showNew}
          onClose={() => setIsCreating(false)}
        />
      )}
      {edited !== undefined && <EditToken token={edited} onClose={() => setEdited(undefined)} />}
    </Stack>
  );
}

/** Scopes that most clients of such a project need. */
function scopesFor(type: string | undefined): readonly string[] {
  if (type === "api_gateway") return ["proxy"];
  if (type === "mcp_gateway") return ["mcp"];
  return type === "ai_wrapper" ? ["chat", "models"] : ["chat"];
}

function isLimited({ rate_limit_per_minute: perMinute, rate_limit_per_hour: perHour }: Token): boolean {
  return typeof perMinute === "number" || typeof perHour === "number";
}

function columnsWith(
  use: LimitUse | undefined,
  onRotated: (token: ShownToken) => void,
  onEdit: (token: Token) => void,
): readonly Column<Token>[] {
  return [
    { id: "name", header: "Name", sort: ({ name }) => name, cell: (token) => <TokenLink token={token} /> },
    { id: "scopes", header: "Scopes", cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    { id: "environment", header: "Environment", cell: ({ environment }) => environment },
    { id: "state", header: "State", cell: ({ is_active }) => <ActiveStatus isActive={is_active} /> },
    { id: "limits", header: "Limits, used now", cell: (token) => <TokenLimits token={token} use={use} /> },
    { id: "used", header: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { id: "expires", header: "Expires", cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      id: "actions",
      header: "",
      isEnd: true,
      cell: (token) => <TokenActions token={token} onRotated={onRotated} onEdit={() => onEdit(token)} />,
    },
  ];
}

function TokenLink({ token: { id, name, project } }: { readonly token: Token }) {
  return (
    <Link to="/projects/$project/tokens/$token" params={{ project, token: String(id) }} className="console-link">
      {visibleName(name)}
    </Link>
  );
}

function Scopes({ scopes }: Pick<Token, "scopes">) {
  return (
    <>
      {scopes.length === 0
        ? "none"
        : scopes.map((scope) => (
            <span key={scope} className="console-scope">
              {scope}
            </span>
          ))}
    </>
  );
}
