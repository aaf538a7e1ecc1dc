import { Button, Group, Menu, NativeSelect, Switch } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { RequestSearch } from "../../api/search.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { useEndpointText } from "../../parts/endpoint-name.tsx";
import { ProjectFilter, SpanFilter, TextFilter } from "../../parts/filter-bar.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useTokenText } from "../../parts/token-name.tsx";
import { EndpointChoice, TokenChoice } from "./request-choices.tsx";

const from = "/requests";
const statuses = [
  { value: "", label: "Any" },
  { value: "2xx", label: "2xx succeeded" },
  { value: "4xx", label: "4xx refused" },
  { value: "422", label: "422 guardrail, budget, schema" },
  { value: "429", label: "429 limited" },
  { value: "499", label: "499 client disconnected" },
  { value: "5xx", label: "5xx failed" },
];

export type Changes = { readonly [Name in keyof RequestSearch]?: RequestSearch[Name] | undefined };

/** Applies a filter, and closes the open entry. */
function withFilter(before: RequestSearch, change: Changes): RequestSearch {
  const { entry: _closed, at: _moment, ...others } = before;
  const entries = Object.entries({ ...others, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/** Filters of the list, all of which are in the URL. */
export function RequestFilters() {
  const { project, status, request_id, error, hours, since, until, live = true, control = false } = useSearch({ from });
  const navigate = useNavigate({ from });
  const apply = (change: Changes) => void navigate({ search: (before) => withFilter(before, change), replace: true });
  return (
    <Group align="flex-end" gap="sm">
      {since === undefined && <SpanFilter hours={hours} onChange={(next) => apply({ hours: next })} />}
      <ProjectFilter project={project} onChange={(next) => apply({ project: next })} />
      <NativeSelect
        label="Status"
        data={statuses}
        value={status ?? ""}
        onChange={({ currentTarget: { value } }) => apply({ status: value === "" ? undefined : value })}
      />
      <TextFilter label="Error" placeholder="contains" value={error} onApply={(next) => apply({ error: next })} />
      <TextFilter
        label="Request id"
        placeholder="req-…"
        value={request_id}
        onApply={(next) => apply({ request_id: next })}
      />
      <MoreFilters project={project} onApply={apply} />
      <Switch
        label="Live"
        checked={live && until === undefined}
        disabled={until !== undefined}
        onChange={(event) => apply({ live: event.currentTarget.checked ? undefined : false })}
        mb={6}
      />
      <Switch
        label="Control Plane"
        checked={control}
        onChange={(event) => apply({ control: event.currentTarget.checked || undefined })}
        mb={6}
      />
      <OtherFilters onRemove={apply} />
    </Group>
  );
}

const more = {
  endpoint: "Endpoint",
  token_id: "Token",
  user: "User",
  route: "Route",
  provider: "Provider",
  model: "Model",
} as const;
type MoreName = keyof typeof more;
const moreNames = Object.keys(more) as MoreName[];

interface MoreFiltersProps {
  readonly project: string | undefined;
  readonly onApply: (change: Changes) => void;
}

/** Rarely used filters: selected from a menu, then chosen by name or typed. */
function MoreFilters({ project, onApply }: MoreFiltersProps) {
  const [name, setName] = useState<MoreName>();
  const may = { endpoint: useMay("svc_list_endpoints"), token_id: useMay("svc_list_tokens") && project !== undefined };
  const offered = moreNames.filter((key) => (key === "endpoint" || key === "token_id" ? may[key] : true));
  const apply = (change: Changes) => {
    onApply(change);
    setName(undefined);
  };
  return (
    <>
      {name === "endpoint" && <EndpointChoice project={project} onChoose={(endpoint) => apply({ endpoint })} />}
      {name === "token_id" && project !== undefined && (
        <TokenChoice project={project} onChoose={(id) => apply({ token_id: id })} />
      )}
      {name !== undefined && name !== "endpoint" && name !== "token_id" && (
        <TextFilter
          label={more[name]}
          placeholder="exactly"
          value={undefined}
          onApply={(value) => apply({ [name]: value })}
        />
      )}
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="plus" size={12} />}>
            Filter
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map((key) => (
            <Menu.Item key={key} onClick={() => setName(key)}>
              {more[key]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Filters set by links and the menu, each with a button to remove it. */
function OtherFilters({ onRemove }: { readonly onRemove: (change: Changes) => void }) {
  const { endpoint, token_id, provider, model, user, route, since, until } = useSearch({ from });
  const [endpointText, tokenText] = [useEndpointText(endpoint), useTokenText(token_id)];
  const shown: readonly (readonly [text: string, removal: Changes] | undefined)[] = [
    endpoint === undefined ? undefined : [`Endpoint ${endpointText}`, { endpoint: undefined }],
    token_id === undefined ? undefined : [`Token ${tokenText}`, { token_id: undefined }],
    user === undefined ? undefined : [`User ${user}`, { user: undefined }],
    route === undefined ? undefined : [`Route ${route}`, { route: undefined }],
    provider === undefined ? undefined : [`Provider ${provider}`, { provider: undefined }],
    model === undefined ? undefined : [`Model ${model}`, { model: undefined }],
    since === undefined ? undefined : [rangeText(since, until), { since: undefined, until: undefined }],
  ];
  return shown
    .filter((filter) => filter !== undefined)
    .map(([text, removal]) => (
      <Button
        key={text}
        variant="default"
        rightSection={<Icon name="cross" size={12} />}
        aria-label={`Remove the filter ${text}`}
        onClick={() => onRemove(removal)}
        maw={320}
      >
        {text}
      </Button>
    ));
}

function rangeText(since: string, until: string | undefined): string {
  return (
    [since, until ?? "now"].map((at) => at.replace("T", " ").replace(/:\d+(?:\.\d+)?Z$/, "")).join(" to ") + " UTC"
  );
}
