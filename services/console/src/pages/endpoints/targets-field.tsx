import {
  ActionIcon,
  Autocomplete,
  Button,
  Collapse,
  Group,
  Input,
  Paper,
  Stack,
  TextInput,
  VisuallyHidden,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type DragEvent, useRef, useState } from "react";
import { useProviders } from "../../api/reads.ts";
import type { Target } from "../../api/types.ts";
import { Icon } from "../../parts/icon.tsx";
import { moveEntry } from "../../parts/move-entry.ts";
import { type FieldProps, inputProps } from "../../parts/schema-form/field.ts";
import { ownRefusal, refusalWithin } from "../../parts/schema-form/refusal.ts";
import type { Landing } from "./landing.ts";
import { TargetHandle } from "./target-handle.tsx";
import { TargetHealth } from "./target-health.tsx";
import { hasNumbers, isAboutNumbers, numberNames, TargetNumbers, type TargetNumbersProps } from "./target-numbers.tsx";
import { useDragging } from "./use-dragging.ts";

/** An endpoint's targets in order; reordered by dragging or with the arrow keys. */
export function TargetsField(props: FieldProps) {
  const targets = Array.isArray(props.value) ? (props.value as Target[]) : [];
  const { label, description } = inputProps(props);
  const error = ownRefusal(props, Object.keys(targets));
  const [news, setNews] = useState("");
  const rows = useRef<HTMLDivElement>(null);
  const replace = (index: number, next: readonly Target[]) => props.onChange(targets.toSpliced(index, 1, ...next));
  const move = (from: number, to: number) => {
    const next = moveEntry(targets, from, to);
    if (next === targets) return;
    props.onChange(next);
    setNews(`Target ${from + 1} is now number ${to + 1}.`);
    // Keeps the focus on the target that the keyboard moves.
    if (document.activeElement?.hasAttribute("data-handle") === true) {
      rows.current?.querySelectorAll<HTMLElement>("[data-handle]").item(to).focus();
    }
  };
  const { onDrag, onOver, onDrop, landingAt } = useDragging(move);
  return (
    <Input.Wrapper label={label} description={description} error={error} size="xs" required>
      <Stack gap="xs" mt={6} ref={rows} onDragLeave={(event) => isLeft(event) && onOver(undefined)}>
        {targets.map((target, index) => (
          <TargetRow
            // Targets have no identity but their place.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            target={target}
            schema={props.schema.items ?? {}}
            refusal={refusalWithin(props, String(index))}
            number={index + 1}
            onChange={(next) => replace(index, next === undefined ? [] : [next])}
            isLast={index === targets.length - 1}
            onMove={(steps) => move(index, index + steps)}
            landing={landingAt(index)}
            onDrag={onDrag}
            onOver={() => onOver(index)}
            onDrop={() => onDrop(index)}
          />
        ))}
        <VisuallyHidden aria-live="polite">{news}</VisuallyHidden>
        <Group>
          <Button
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => props.onChange([...targets, { provider: "", model: "" }])}
          >
            Add target
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

/** Whether the pointer has left the element, not only one of its parts. */
function isLeft({ currentTarget, relatedTarget }: DragEvent): boolean {
  return !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));
}

interface TargetRowProps extends TargetNumbersProps {
  /** From 1. */
  readonly number: number;
  readonly isLast: boolean;
  /** Undefined removes it. */
  readonly onChange: (target: Target | undefined) => void;
  /** Moves by a number of positions; negative: earlier. */
  readonly onMove: (steps: number) => void;
  /** Called with the position while dragged. */
  readonly onDrag: (index: number | undefined) => void;
  /** Side on which a dragged target would land. */
  readonly landing: Landing | undefined;
  /** Called while another target is dragged over it. */
  readonly onOver: () => void;
  /** Called when another target is dropped on it. */
  readonly onDrop: () => void;
}

function TargetRow({ number, isLast, landing, onMove, onDrag, onOver, onDrop, ...props }: TargetRowProps) {
  const { target, refusal, onChange } = props;
  const [isOpened, { toggle }] = useDisclosure(hasNumbers(target));
  // A refusal is always visible.
  const isRefused = isAboutNumbers(refusal);
  const hasMore = isOpened || isRefused;
  const own = ownRefusal(refusal, ["provider", "model", ...numberNames]);
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    onOver();
  };
  // Otherwise a field would accept the dragged text.
  const drop = (event: DragEvent) => {
    event.preventDefault();
    onDrop();
  };
  return (
    <Paper
      className="console-panel console-droppable"
      p="xs"
      data-landing={landing}
      onDragOver={onDragOver}
      onDrop={drop}
    >
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TargetHandle number={number} onMove={onMove} onDrag={onDrag} />
        <Model {...{ ...props, number }} />
        <ActionIcon
          aria-label={`Prices and retries of target ${number}`}
          aria-expanded={hasMore}
          disabled={isRefused}
          onClick={toggle}
        >
          <Icon name="more" />
        </ActionIcon>
        <ActionIcon aria-label={`Remove target ${number}`} onClick={() => onChange(undefined)}>
          <Icon name="trash" />
        </ActionIcon>
      </Group>
      {own !== undefined && <Input.Error mt={4}>{own}</Input.Error>}
      <Group mt={4} justify="space-between" gap="xs">
        <TargetHealth target={target} />
        <Moves {...{ number, isLast, onMove }} />
      </Group>
      <Collapse expanded={hasMore}>
        <TargetNumbers {...props} />
      </Collapse>
    </Paper>
  );
}

function Moves({ number, isLast, onMove }: Pick<TargetRowProps, "number" | "isLast" | "onMove">) {
  return (
    <Group gap={4} ml="auto">
      <ActionIcon aria-label={`Move target ${number} up`} disabled={number === 1} onClick={() => onMove(-1)}>
        <Icon name="up" />
      </ActionIcon>
      <ActionIcon aria-label={`Move target ${number} down`} disabled={isLast} onClick={() => onMove(1)}>
        <Icon name="down" />
      </ActionIcon>
    </Group>
  );
}

function Model({ number, target, refusal, onChange }: Pick<TargetRowProps, "number" | keyof TargetNumbersProps>) {
  const { data } = useProviders();
  const names = (data?.providers ?? []).map(({ name }) => name);
  return (
    <>
      <Autocomplete
        size="xs"
        label={`Provider ${number}`}
        data={names}
        value={target.provider}
        error={refusalWithin(refusal, "provider").error}
        onChange={(provider) => onChange({ ...target, provider })}
        flex={1}
        miw={80}
      />
      <TextInput
        label={`Model ${number}`}
        value={target.model}
        error={refusalWithin(refusal, "model").error}
        onChange={(event) => onChange({ ...target, model: event.currentTarget.value })}
        flex={1}
        miw={80}
      />
    </>
  );
}
