import { Grid, Stack } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEndpoints, useProject } from "../../api/reads.ts";
import type { PlaygroundSearch } from "../../api/search.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PlaygroundToken } from "../../parts/playground-token.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Conversation } from "./conversation.tsx";
import { useSides } from "./use-sides.ts";

const from = "/projects/$project/playground";

/** Calls endpoints like a client, and shows what the gateway did for each call. */
export function PlaygroundTab() {
  const { project: uuid } = useParams({ from });
  const endpoints = useEndpoints(uuid);
  return (
    <QueryView query={useProject(uuid)}>
      {(project) => (
        <Stack mt="md">
          <PlaygroundToken project={project} />
          <QueryView query={endpoints}>
            {(list) => <Conversations project={project} endpoints={list.endpoints} />}
          </QueryView>
        </Stack>
      )}
    </QueryView>
  );
}

interface ConversationsProps {
  readonly project: Project;
  readonly endpoints: readonly Endpoint[];
}

function Conversations({ project, endpoints }: ConversationsProps) {
  const { endpoint } = useSearch({ from });
  const left = endpoints.find(({ slug }) => slug === endpoint) ?? endpoints[0];
  return left === undefined ? <NoEndpoint project={project} /> : <Sides {...{ project, endpoints, left }} />;
}

interface SidesProps extends ConversationsProps {
  readonly left: Endpoint;
}

/** One conversation, or two side by side. */
function Sides({ project, endpoints, left }: SidesProps) {
  const search = useSearch({ from });
  const choose = useChoose();
  const right = endpoints.find(({ slug }) => slug === search.beside);
  const { first, second, common } = useSides({ project, left, right, search });
  const given = { project, endpoints, ...common };
  const close = () => {
    second.talk.reset();
    choose({ beside: undefined, beside_target: undefined });
  };
  const span = right === undefined ? 12 : { base: 12, lg: 6 };
  return (
    <Grid>
      <Grid.Col span={span}>
        <Conversation
          {...given}
          {...first}
          endpoint={left}
          target={search.target}
          onChoose={(slug) => choose({ endpoint: slug, target: undefined })}
          onTarget={(place) => choose({ target: place })}
          {...(right === undefined &&
            hasOther(left, endpoints) && { onBeside: () => choose(otherOf(left, endpoints)) })}
        />
      </Grid.Col>
      {right !== undefined && (
        <Grid.Col span={span}>
          <Conversation
            {...given}
            {...second}
            endpoint={right}
            target={search.beside_target}
            onChoose={(slug) => choose({ beside: slug, beside_target: undefined })}
            onTarget={(place) => choose({ beside_target: place })}
            onClose={close}
          />
        </Grid.Col>
      )}
    </Grid>
  );
}

function NoEndpoint({ project: { uuid } }: { readonly project: Project }) {
  return (
    <EmptyState
      title="No endpoint to call"
      command={{ operation: "svc_create_endpoint", args: { project: uuid }, also: ["targets"] }}
    >
      Create one under{" "}
      <Link to="/projects/$project/endpoints" params={{ project: uuid }} className="console-link">
        Endpoints
      </Link>{" "}
      first.
    </EmptyState>
  );
}

/** Sets the endpoints and targets in the URL. */
function useChoose(): (change: Change) => void {
  const navigate = useNavigate({ from });
  return (change) => void navigate({ search: (before) => withoutUndefined({ ...before, ...change }), replace: true });
}

type Change = { readonly [Name in keyof PlaygroundSearch]: PlaygroundSearch[Name] | undefined };

function hasOther({ targets = [] }: Endpoint, endpoints: readonly Endpoint[]): boolean {
  return targets.length > 1 || endpoints.length > 1;
}

/** The first two targets of an endpoint with several, else another endpoint. */
function otherOf({ slug, targets = [] }: Endpoint, endpoints: readonly Endpoint[]): Change {
  if (targets.length > 1) return { endpoint: slug, target: 1, beside: slug, beside_target: 2 };
  return { beside: endpoints.findLast((each) => each.slug !== slug)?.slug };
}

function withoutUndefined(search: Change): PlaygroundSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
