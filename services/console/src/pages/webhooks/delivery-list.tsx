import { Grid, UnstyledButton } from "@mantine/core";
import { useEffect, useMemo, useRef } from "react";
import type { Delivery } from "../../api/types.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { HttpStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { DeliveryView } from "./delivery-view.tsx";

interface DeliveryListProps {
  readonly webhookId: number;
  readonly deliveries: readonly Delivery[];
  /** Uuid of a delivery; absent: the newest. */
  readonly selected: string | undefined;
  /** Whether newer ones are being read. */
  readonly isReading: boolean;
  readonly onSelect: (uuid: string) => void;
}

/** Deliveries on the left, the selected one on the right. */
export function DeliveryList({ webhookId, deliveries, selected, isReading, onSelect }: DeliveryListProps) {
  const columns = useMemo(() => columnsWith(onSelect), [onSelect]);
  const chosen = selected === undefined ? deliveries[0] : deliveries.find(({ uuid }) => uuid === selected);
  const list = useRef<HTMLDivElement>(null);
  const view = useRef<HTMLDivElement>(null);
  // On a narrow page the details are below the list, so they are scrolled into view.
  useEffect(() => {
    const [above, below] = [list.current, view.current];
    if (selected !== undefined && above !== null && below !== null && below.offsetTop > above.offsetTop) {
      below.scrollIntoView();
    }
  }, [selected]);
  if (deliveries.length === 0) {
    return (
      <EmptyState title="No deliveries" command={{ operation: "svc_test_webhook", args: { webhook_id: webhookId } }}>
        Nothing was sent with this outcome yet. Send a test to see whether the receiver answers.
      </EmptyState>
    );
  }
  return (
    <Grid>
      <Grid.Col ref={list} span={{ base: 12, lg: 4 }}>
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={deliveries}
          rowKey={({ uuid }) => uuid}
          selected={chosen?.uuid}
        />
      </Grid.Col>
      <Grid.Col ref={view} span={{ base: 12, lg: 8 }}>
        {chosen !== undefined ? (
          <DeliveryView delivery={chosen} onRedelivered={onSelect} />
        ) : isReading ? (
          <Waiting />
        ) : (
          <EmptyState title="Not among these deliveries">
            It is older or newer than those shown, has another event or outcome, or is no longer kept.
          </EmptyState>
        )}
      </Grid.Col>
    </Grid>
  );
}

function columnsWith(onSelect: (uuid: string) => void): readonly Column<Delivery>[] {
  return [
    {
      id: "event",
      header: "Event",
      cell: ({ uuid, event }) => (
        <UnstyledButton className="console-link" fz="sm" onClick={() => onSelect(uuid)}>
          {event}
        </UnstyledButton>
      ),
    },
    { id: "status", header: "Reply", cell: ({ http_status }) => <HttpStatus status={http_status} /> },
    { id: "at", header: "Sent", isEnd: true, cell: ({ attempted_at }) => <Time at={attempted_at} /> },
  ];
}
