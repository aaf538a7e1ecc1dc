import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { Delivery } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatDuration, prettyJson, shorten } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { notifyDone, notifyFailed } from "../../parts/notify.ts";
import { HttpStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

export interface DeliveryViewProps {
  readonly delivery: Delivery;
  /** Gets the uuid of the new delivery. */
  readonly onRedelivered: (uuid: string) => void;
}

/** One attempt: when, how long, and request and reply side by side. */
export function DeliveryView({ delivery, onRedelivered }: DeliveryViewProps) {
  const { id, uuid, event, http_status, attempted_at, duration_ms, error, redelivery_of } = delivery;
  return (
    <Paper className="console-panel" p="md" component="section" aria-label="Delivery">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>{event}</Title>
          <RedeliverButton id={id} onRedelivered={onRedelivered} />
        </Group>
        <Facts
          facts={[
            ["Delivery", <CopyText key="uuid" text={uuid} shown={shorten(uuid)} label="Copy the delivery's uuid" />],
            ["Sent", <Time key="at" at={attempted_at} />],
            ["Took", formatDuration(duration_ms ?? 0)],
            ["Reply", <HttpStatus key="status" status={http_status} />],
            ...(redelivery_of === null ? [] : [["Repeats", String(redelivery_of)] as const]),
          ]}
        />
        {error !== null && (
          <Alert color="red" icon={<Icon name="warning" />}>
            {error}
          </Alert>
        )}
        <Bodies delivery={delivery} />
      </Stack>
    </Paper>
  );
}

function Bodies({ delivery }: { readonly delivery: Delivery }) {
  const { request_body, request_body_truncated, response_body, response_body_truncated } = delivery;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Body title="Request" text={request_body} isCut={request_body_truncated === true} />
      <Body title="Response" text={response_body} isCut={response_body_truncated === true} />
    </SimpleGrid>
  );
}

interface BodyProps {
  readonly title: string;
  readonly text: string | null;
  readonly isCut: boolean;
}

function Body({ title, text, isCut }: BodyProps) {
  return (
    <Stack gap={4} miw={0}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {text === null || text === "" ? (
        <Text size="sm" c="dimmed">
          No body
        </Text>
      ) : (
        <CodeBlock text={prettyJson(text)} label={`${title} body`} />
      )}
      {isCut && (
        <Text size="xs" c="dimmed">
          The beginning; the rest was not kept.
        </Text>
      )}
    </Stack>
  );
}

function RedeliverButton({ id, onRedelivered }: Pick<Delivery, "id"> & Pick<DeliveryViewProps, "onRedelivered">) {
  const { mutate, isPending } = useChange<Delivery>("svc_redeliver");
  if (!useMay("svc_redeliver")) return null;
  const show = ({ uuid }: Delivery) => {
    notifyDone("Sent again.");
    onRedelivered(uuid);
  };
  return (
    <Button
      variant="default"
      leftSection={<Icon name="refresh" />}
      loading={isPending}
      onClick={() => mutate({ delivery_id: id }, { onSuccess: show, onError: notifyFailed })}
    >
      Resend
    </Button>
  );
}
