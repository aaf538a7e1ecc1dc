import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ControlPlane } from "../../api/control-plane.ts";
import type { AuditCheck, AuditCheckPart } from "../../api/types.ts";
import { useSignedIn } from "../../api/use-control-plane.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { formatCount, formatShare } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

/** Duration of each call; short, so that the progress is visible. */
const partSeconds = 1;

/** Verifies the hash chains of a project's log, or of all logs. */
export function Verification({ project }: { readonly project: string | undefined }) {
  const { controlPlane } = useSignedIn();
  const [share, setShare] = useState(0);
  const isLeft = useRef(new AbortController());
  useEffect(() => {
    const left = new AbortController();
    isLeft.current = left;
    return () => left.abort();
  }, []);
  const { mutate, data, error, isPending, submittedAt } = useMutation({
    mutationFn: async () => {
      setShare(0);
      return await verifyInParts(controlPlane, { project, onShare: setShare, signal: isLeft.current.signal });
    },
  });
  return (
    <Stack gap="xs" align="flex-end" aria-live="polite">
      <Group gap="xs">
        {isPending && <ShareDone share={share} />}
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
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          Verify the log
        </Button>
      </Group>
      <ErrorAlert error={error} />
      {data !== undefined && !data.ok && <Faults faults={data.faults} />}
    </Stack>
  );
}

interface Verifying {
  readonly project: string | undefined;
  /** Called with the verified share of the entries, 0 to 1. */
  readonly onShare: (share: number) => void;
  readonly signal: AbortSignal;
}

/** In parts, so that no call times out, however long the log is. */
async function verifyInParts(controlPlane: ControlPlane, { project, onShare, signal }: Verifying): Promise<AuditCheck> {
  const args = { max_seconds: partSeconds, ...(project !== undefined && { project }) };
  let cursor: string | null = null;
  let sum: AuditCheck = { ok: true, rows: 0, chains: 0, faults: [] };
  do {
    const part: AuditCheckPart = await controlPlane.call(
      "svc_verify_audit_log",
      cursor === null ? args : { ...args, cursor },
      signal,
    );
    const { ok, rows, chains, faults } = part;
    // Each part reports faults of the checkpoints.
    const known = new Set(sum.faults.map(keyOf));
    const added = faults.filter((fault) => !known.has(keyOf(fault)));
    sum = { ok: sum.ok && ok, rows: sum.rows + rows, chains: sum.chains + chains, faults: [...sum.faults, ...added] };
    onShare(sum.rows === 0 ? 1 : Math.min(1, sum.rows / (part.total_rows ?? sum.rows)));
    cursor = part.next_cursor ?? null;
  } while (cursor !== null);
  return sum;
}

function keyOf({ project, service, sequence, kind }: AuditCheck["faults"][number]): string {
  return `${service ?? project ?? ""} ${sequence} ${kind}`;
}

function ShareDone({ share }: { readonly share: number }) {
  return (
    <Group gap="xs">
      <Progress w={120} value={100 * share} aria-label="Share of entries verified" />
      <Text size="sm">Every entry is read and hashed: {formatShare(share)} done</Text>
    </Group>
  );
}

function Faults({ faults }: Pick<AuditCheck, "faults">) {
  return (
    <Alert color="red" title="The log was altered">
      {faults.map((fault) => (
        <Text size="sm" key={keyOf(fault)}>
          {fault.service ?? fault.project ?? "the gateway's own chain"}, entry {fault.sequence}: {fault.kind}.{" "}
          {fault.detail}
        </Text>
      ))}
    </Alert>
  );
}
