import { Button, Group, Modal, Radio, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import type { Arguments } from "../../api/control-plane.ts";
import type { Webhook } from "../../api/types.ts";
import { useChange } from "../../api/use-control-plane.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { notifyDone, notifyFailed } from "../../parts/notify.ts";

const ways = {
  plain: {
    label: "With an overlap of a day",
    description: "The new secret signs X-Service-Signature at once; webhook-signature has both for a day.",
    args: {},
  },
  staged: {
    label: "Staged",
    description:
      "The old secret goes on signing X-Service-Signature, the new one signs X-Service-Signature-Next, until you promote it or a day has passed. For receivers that know one secret at a time.",
    args: { staged: true },
  },
  now: {
    label: "At once",
    description: "The old secret stops now: deliveries fail at the receiver until it has the new one. After a leak.",
    args: { overlap_seconds: 0 },
  },
} as const satisfies Readonly<Record<string, { label: string; description: string; args: Arguments }>>;

type Way = keyof typeof ways;

interface RotateButtonProps {
  readonly webhook: Webhook;
  /** Called with the new signing secret. */
  readonly onRotated: (secret: string) => void;
}

/** Creates a new signing secret in one of three ways, or ends a staged rotation. */
export function RotateButton({ webhook, onRotated }: RotateButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      {webhook.rotation_staged && <PromoteButton webhook={webhook} />}
      <Button variant="default" onClick={open}>
        Rotate secret
      </Button>
      <Modal opened={opened} onClose={close} title="Rotate the signing secret">
        {opened && <Rotation webhook={webhook} onRotated={onRotated} onDone={close} />}
      </Modal>
    </>
  );
}

function Rotation({ webhook: { id }, onRotated, onDone }: RotateButtonProps & { readonly onDone: () => void }) {
  const [way, setWay] = useState<Way>("plain");
  const { mutateAsync, isPending, error } = useChange("svc_rotate_webhook_secret");
  const rotate = async () => {
    // Awaited, since `mutate` would drop the secret, which is shown only once, if the dialog is closed meanwhile. The dialog
    // shows a refusal.
    const rotated = await mutateAsync({ webhook_id: id, ...ways[way].args }).catch(() => undefined);
    if (rotated?.secret === undefined) return;
    onRotated(rotated.secret);
    onDone();
  };
  return (
    <Stack>
      <Radio.Group value={way} onChange={setWay} label="How">
        <Stack gap="xs" mt="xs">
          {(Object.keys(ways) as Way[]).map((key) => (
            <Radio key={key} value={key} label={ways[key].label} description={ways[key].description} />
          ))}
        </Stack>
      </Radio.Group>
      <ErrorAlert error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Keep the secret
        </Button>
        <Button loading={isPending} onClick={() => void rotate()}>
          Make a new secret
        </Button>
      </Group>
    </Stack>
  );
}

function PromoteButton({ webhook: { id } }: Pick<RotateButtonProps, "webhook">) {
  const { mutate, isPending } = useChange("svc_rotate_webhook_secret");
  const done = () => notifyDone("Only the new secret signs from now on.");
  return (
    <Button
      loading={isPending}
      onClick={() => mutate({ webhook_id: id, promote: true }, { onSuccess: done, onError: notifyFailed })}
    >
      Promote the new secret
    </Button>
  );
}
