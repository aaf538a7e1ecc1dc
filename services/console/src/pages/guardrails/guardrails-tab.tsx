import { Grid, Group, Paper, Stack, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useConflictCheck } from "../../api/conflict.ts";
import type { Arguments } from "../../api/control-plane.ts";
import { useEndpoints } from "../../api/reads.ts";
import { operationKey, useChange, useMay, useRead, useSchema, useSignedIn } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { FindSelect } from "../../parts/find-select.tsx";
import { shorten } from "../../parts/format.ts";
import { MissingRight } from "../../parts/missing-right.tsx";
import { notifyDone, notifyWarningOf } from "../../parts/notify.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { SchemaForm } from "../../parts/schema-form/schema-form.tsx";
import { FindingsChart } from "./findings-chart.tsx";
import { FindingsPanel } from "./findings-panel.tsx";
import { policyArguments, policyNames } from "./policy.ts";
import { TrialPanel } from "./trial-panel.tsx";
import { TryOut } from "./try-out.tsx";

const from = "/projects/$project/guardrails";
/** Placeholder lines: a policy's form is longer than a screen. */
const formLines = 30;

/** Policy of a project or an endpoint, a text to try it on, and its findings. */
export function GuardrailsTab() {
  const { project } = useParams({ from });
  const { endpoint } = useSearch({ from });
  const subject = useMemo((): Arguments => (endpoint === undefined ? { project } : { endpoint }), [project, endpoint]);
  const query = useRead("svc_get_guardrails", subject);
  const mayTry = useMay("svc_test_guardrails");
  const mayList = useMay("svc_list_findings");
  return (
    <Stack mt="md">
      <SubjectPicker project={project} endpoint={endpoint} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper className="console-panel" p="md">
            <QueryView query={query} lines={formLines}>
              {(policy) => <Policy key={JSON.stringify(subject)} policy={policy} subject={subject} />}
            </QueryView>
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            {mayTry && <TryOut subject={subject} />}
            <TrialPanel subject={subject} />
          </Stack>
        </Grid.Col>
      </Grid>
      <FindingsChart project={project} subject={subject} />
      {mayList && <FindingsPanel key={endpoint ?? ""} subject={subject} />}
    </Stack>
  );
}

function SubjectPicker({ project, endpoint }: { readonly project: string; readonly endpoint: string | undefined }) {
  const navigate = useNavigate({ from });
  const { data } = useEndpoints(project);
  const options = useMemo(() => {
    const endpoints = data?.endpoints ?? [];
    const known = endpoints.map(({ uuid, slug }) => ({ value: uuid, label: `Endpoint ${slug}`, hint: shorten(uuid) }));
    return [{ value: "", label: "The whole project" }, ...known];
  }, [data]);
  if (data?.endpoints.length === 0) return null;
  return (
    <FindSelect
      label="Policy of"
      options={options}
      value={endpoint ?? ""}
      onChange={(value) => void navigate({ search: value === "" ? {} : { endpoint: value } })}
    />
  );
}

function Policy({ policy, subject }: { readonly policy: Arguments; readonly subject: Arguments }) {
  const schema = useSchema("svc_set_guardrails");
  const { controlPlane } = useSignedIn();
  const cache = useQueryClient();
  const check = useConflictCheck();
  const { mutate, isPending, error } = useChange("svc_set_guardrails", async (changed) => {
    // The operation takes a whole policy, so the newest one is read: another person may have changed other settings.
    const newest = await controlPlane.call("svc_get_guardrails", subject);
    cache.setQueryData(operationKey("svc_get_guardrails", subject), newest);
    check({ changed, known: settingsOf(policy, subject), now: settingsOf(newest, subject) });
    return { ...policyArguments({ ...settingsOf(newest, subject), ...changed }), ...subject };
  });
  const removal = useChange("svc_set_guardrails");
  const mayChange = useMay("svc_set_guardrails");
  const onSuccess = (saved: unknown) => {
    notifyDone("The policy is saved and applies now.");
    notifyWarningOf(saved);
  };
  const [isUnsaved, setIsUnsaved] = useState(false);
  // Unsaved input stays when the right to save it is lost.
  if (!mayChange && !isUnsaved && !isPending && error === null)
    return <MissingRight deed="change the policy here" operation="svc_set_guardrails" />;
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>Policy</Title>
        {typeof policy.updated_at === "string" && (
          <ConfirmButton
            label="Remove policy"
            done="The policy is removed."
            consequence="Its checks stop immediately. For an endpoint, the project's policy remains."
            onConfirm={async () => await removal.mutateAsync({ ...subject, clear: true })}
          />
        )}
      </Group>
      <SchemaForm
        schema={schema}
        names={policyNames("endpoint" in subject)}
        initial={settingsOf(policy, subject)}
        submitLabel="Save policy"
        onSubmit={(changed) => mutate(changed, { onSuccess })}
        isClearable
        isBusy={isPending}
        error={error}
        onUnsaved={setIsUnsaved}
      />
    </Stack>
  );
}

/** Settings of the project or endpoint itself, without inherited ones. */
function settingsOf(policy: Arguments, subject: Arguments): Arguments {
  return policyArguments("endpoint" in subject ? ((policy.own ?? {}) as Arguments) : policy);
}
