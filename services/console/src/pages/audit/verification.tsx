import { Alert, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AuditCheck } from "../../api/types.ts";
import { useSignedIn } from "../../api/use-control-plane.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { formatCount } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

const secondMs = 1_000;

/** Recomputes the chains of hashes over a project's log, or all of it. */
export function Verification({ project }: { readonly project: string | undefined }) {
  const { controlPlane } = useSignedIn();
  const { mutate, data, error, isPending, submittedAt } = useMutation({
    mutationFn: async () =>
      await controlPlane.call<AuditCheck>("svc_verify_audit_log", project === undefined ? {} : { project }),
  });
  return (
    <Stack gap="xs" align="flex-end" aria-live="polite">
      <Group gap="xs">
        {isPending && <Progress startedAt={submittedAt} />}
        {data !== undefined && !isPending && (
          <>
            <Status kind={data.ok ? "good" : "bad"}>
              {data.ok
                ? `${formatCount(data.rows)} entries in ${formatCount(data.chains)} chains, unchanged`
                : `${data.faults.length} faults`}
            </Status>
            <Text size="xs" c="dimmed" component="div">
              verified <Time at={new Date(submittedAt).toISOString()} />
            </Text>
          </>
        )}
        <Button variant="default" disabled={isPending} onClick={() => mutate()}>
          Verify the log
        </Button>
      </Group>
      <ErrorAlert error={error} />
      {data !== undefined && !data.ok && <Faults faults={data.faults} />}
    </Stack>
  );
}

function Progress({ startedAt }: { readonly startedAt: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.round((Date.now() - startedAt) / secondMs)), secondMs);
    return () => clearInterval(timer);
  }, [startedAt]);
  return (
    <Group gap="xs">
      <Loader size="xs" />
      <Text size="sm">Every entry is read and hashed: {seconds} s so far, under a minute for a million</Text>
    </Group>
  );
}

function Faults({ faults }: Pick<AuditCheck, "faults">) {
  return (
    <Alert color="red" title="The log is not as it was written">
      {faults.map(({ project, service, sequence, kind, detail }) => (
        <Text size="sm" key={`${service ?? project ?? ""} ${sequence} ${kind}`}>
          {service ?? project ?? "the gateway's own chain"}, entry {sequence}: {kind}. {detail}
        </Text>
      ))}
    </Alert>
  );
}
