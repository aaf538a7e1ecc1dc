import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Delivery } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatDuration, prettyJson, shorten } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { notifyDone, notifyFailed } from "../../parts/notify.ts";
import { HttpStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { requestHeadersOf } from "./request-headers.ts";
import { SignatureCheck } from "./signature-check.tsx";

interface DeliveryViewProps {
  readonly delivery: Delivery;
  /** Called with the uuid of the new delivery. */
  readonly onRedelivered: (uuid: string) => void;
}

/** One attempt: its times, request and reply. */
export function DeliveryView({ delivery, onRedelivered }: DeliveryViewProps) {
  const { id, uuid, event, http_status, attempted_at, duration_ms, timing, error } = delivery;
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
            ["Duration", formatDuration(duration_ms ?? 0)],
            ...(timing === null ? [] : [["Timing", <Timing key="timing" timing={timing} />] as const]),
            ["Reply", <HttpStatus key="status" status={http_status} />],
            ...(delivery.redelivery_of === null
              ? []
              : [["Resend of", <FirstDelivery key="first" uuid={delivery.message_uuid} />] as const]),
          ]}
        />
        {error !== null && (
          <Alert color="red" icon={<Icon name="warning" />}>
            {error}
          </Alert>
        )}
        <Bodies delivery={delivery} />
        <Disclosure show="Check a signature of this body" hide="Hide the check">
          <SignatureCheck key={uuid} body={delivery.request_body ?? ""} />
        </Disclosure>
      </Stack>
    </Paper>
  );
}

/** Link to the delivery that was repeated; without filters, which may hide it. */
function FirstDelivery({ uuid }: { readonly uuid: string }) {
  return (
    <Link from="/projects/$project/webhooks/$webhook" to="." search={{ delivery: uuid }} className="console-link">
      {shorten(uuid)}
    </Link>
  );
}

const stages: Readonly<Record<string, string>> = {
  queue: "queued",
  connect: "connect and TLS",
  first_byte: "first byte",
  body: "response body",
};

function Timing({ timing }: { readonly timing: Readonly<Record<string, number>> }) {
  return Object.entries(stages)
    .flatMap(([stage, text]) => (timing[stage] === undefined ? [] : [`${formatDuration(timing[stage])} ${text}`]))
    .join(" · ");
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function Bodies({ delivery }: { readonly delivery: Delivery }) {
  const { request_body, request_body_truncated, response_body, response_body_truncated, response_headers } = delivery;
  const headers = linesOf(response_headers ?? {});
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Stack gap="xs" miw={0}>
        <Body title="Request" text={request_body} isCut={request_body_truncated} />
        <Headers text={requestHeadersOf(delivery)} label="Request headers" />
        <Text size="xs" c="dimmed">
          Signatures are not stored.
        </Text>
      </Stack>
      <Stack gap="xs" miw={0}>
        <Body title="Response" text={response_body} isCut={response_body_truncated} />
        {headers !== "" && <Headers text={headers} label="Response headers" />}
      </Stack>
    </SimpleGrid>
  );
}

function Headers(props: { readonly text: string; readonly label: string }) {
  return (
    <Stack gap={4} miw={0}>
      <Text size="xs" c="dimmed">
        Headers
      </Text>
      <CodeBlock {...props} />
    </Stack>
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
          Truncated: only the beginning is stored.
        </Text>
      )}
    </Stack>
  );
}

function RedeliverButton({ id, onRedelivered }: Pick<Delivery, "id"> & Pick<DeliveryViewProps, "onRedelivered">) {
  const { mutate, isPending } = useChange("svc_redeliver");
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
