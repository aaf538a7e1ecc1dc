import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Credential } from "../../api/types.ts";
import { useMay, useSignedIn } from "../../api/use-control-plane.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { formatDuration } from "../../parts/format.ts";
import { LiveResult } from "../../parts/live-result.tsx";
import { RowButton } from "../../parts/row-button.tsx";
import { RowDialog } from "../../parts/row-dialog.tsx";
import { Status } from "../../parts/status.tsx";

interface CredentialVerdict {
  readonly ok: boolean;
  readonly status: number | null;
  readonly message: string;
  readonly model: string;
  readonly duration_ms: number;
}

/** Makes one short call with a key, and shows the provider's answer. */
export function TestButton({ credential }: { readonly credential: Pick<Credential, "id" | "name"> }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!useMay("svc_test_credential")) return null;
  return (
    <>
      <RowButton onClick={() => setIsOpen(true)}>Test</RowButton>
      {isOpen && (
        <RowDialog onClose={() => setIsOpen(false)} title={`Test ${credential.name}`}>
          <Trial credential={credential} />
        </RowDialog>
      )}
    </>
  );
}

function Trial({ credential: { id } }: { readonly credential: Pick<Credential, "id"> }) {
  const { controlPlane } = useSignedIn();
  const [model, setModel] = useState("");
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () =>
      await controlPlane.call("svc_test_credential", {
        credential_id: id,
        ...(model !== "" && { model }),
      }),
  });
  return (
    <Stack>
      <Text size="sm">One very short call goes to the provider. It costs a few tokens and changes nothing here.</Text>
      <TextInput
        label="Model"
        description="The provider's name of it; that of an endpoint's target where it is left empty."
        value={model}
        onChange={(event) => setModel(event.currentTarget.value)}
        autoComplete="off"
      />
      <ErrorAlert error={error} />
      <LiveResult>{data !== undefined && <Verdict verdict={data} />}</LiveResult>
      <Group justify="flex-end">
        <Button loading={isPending} onClick={() => mutate()}>
          Send the call
        </Button>
      </Group>
    </Stack>
  );
}

function Verdict({ verdict: { ok, message, model, duration_ms } }: { readonly verdict: CredentialVerdict }) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Status kind={ok ? "good" : "bad"}>{ok ? "Works" : "Does not work"}</Status>
        <Text size="sm" c="dimmed">
          {model}, {formatDuration(duration_ms)}
        </Text>
      </Group>
      <Text size="sm">{message}</Text>
    </Stack>
  );
}
