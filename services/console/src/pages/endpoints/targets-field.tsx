import {
  ActionIcon,
  Autocomplete,
  Button,
  Collapse,
  Group,
  Input,
  NumberInput,
  Paper,
  Stack,
  TextInput,
  VisuallyHidden,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type DragEvent, type KeyboardEvent, useRef, useState } from "react";
import { useProviders } from "../../api/reads.ts";
import type { Target } from "../../api/types.ts";
import { toLabel } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { moveEntry } from "../../parts/move-entry.ts";
import { type FieldProps, inputProps } from "../../parts/schema-form/field.ts";
import { TargetHealth } from "./target-health.tsx";

const numberNames = ["input_price_per_million", "output_price_per_million", "retries"] as const;

/** The targets of an endpoint, in the order in which they are tried: dragged there, or moved with the arrow keys. */
export function TargetsField(props: FieldProps) {
  const targets = Array.isArray(props.value) ? (props.value as Target[]) : [];
  const { label, description, error } = inputProps(props);
  const [dragged, setDragged] = useState<number>();
  const [news, setNews] = useState("");
  const rows = useRef<HTMLDivElement>(null);
  const replace = (index: number, next: readonly Target[]) => props.onChange(targets.toSpliced(index, 1, ...next));
  const move = (from: number, to: number) => {
    const next = moveEntry(targets, from, to);
    if (next === targets) return;
    props.onChange(next);
    setNews(`Target ${from + 1} is now number ${to + 1}.`);
    // The keyboard stays with the target that it moves.
    if (document.activeElement?.hasAttribute("data-handle") === true) {
      rows.current?.querySelectorAll<HTMLElement>("[data-handle]").item(to).focus();
    }
  };
  return (
    <Input.Wrapper label={label} description={description} error={error} size="xs" required>
      <Stack gap="xs" mt={6} ref={rows}>
        {targets.map((target, index) => (
          <TargetRow
            // Targets have no identity but their place.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            target={target}
            number={index + 1}
            onChange={(next) => replace(index, next === undefined ? [] : [next])}
            isLast={index === targets.length - 1}
            onMove={(steps) => move(index, index + steps)}
            onDrag={setDragged}
            onDrop={() => dragged !== undefined && move(dragged, index)}
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

interface TargetRowProps {
  readonly target: Target;
  /** From 1. */
  readonly number: number;
  readonly isLast: boolean;
  /** Undefined removes it. */
  readonly onChange: (target: Target | undefined) => void;
  /** Later by so many places; earlier where negative. */
  readonly onMove: (steps: number) => void;
  /** Called with its place while it is dragged. */
  readonly onDrag: (index: number | undefined) => void;
  /** Another one was dropped on it. */
  readonly onDrop: () => void;
}

function TargetRow({ target, number, isLast, onChange, onMove, onDrag, onDrop }: TargetRowProps) {
  const { data } = useProviders();
  const [hasMore, { toggle }] = useDisclosure(numberNames.some((name) => typeof target[name] === "number"));
  const names = (data?.providers ?? []).map(({ name }) => name);
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  };
  // Else a field would take the text that is dragged.
  const drop = (event: DragEvent) => {
    event.preventDefault();
    onDrop();
  };
  return (
    <Paper className="console-panel" p="xs" onDragOver={onDragOver} onDrop={drop}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <Handle number={number} onMove={onMove} onDrag={onDrag} />
        <Autocomplete
          size="xs"
          label={`Provider ${number}`}
          data={names}
          value={target.provider}
          onChange={(provider) => onChange({ ...target, provider })}
          flex={1}
          miw={80}
        />
        <TextInput
          label={`Model ${number}`}
          value={target.model}
          onChange={(event) => onChange({ ...target, model: event.currentTarget.value })}
          flex={1}
          miw={80}
        />
        <ActionIcon aria-label={`Prices and retries of target ${number}`} aria-expanded={hasMore} onClick={toggle}>
          <Icon name="more" />
        </ActionIcon>
        <ActionIcon aria-label={`Remove target ${number}`} onClick={() => onChange(undefined)}>
          <Icon name="trash" />
        </ActionIcon>
      </Group>
      <Group mt={4} justify="space-between" gap="xs">
        <TargetHealth target={target} />
        <Group gap={4} ml="auto">
          <ActionIcon aria-label={`Try target ${number} earlier`} disabled={number === 1} onClick={() => onMove(-1)}>
            <Icon name="up" />
          </ActionIcon>
          <ActionIcon aria-label={`Try target ${number} later`} disabled={isLast} onClick={() => onMove(1)}>
            <Icon name="down" />
          </ActionIcon>
        </Group>
      </Group>
      <Collapse expanded={hasMore}>
        <TargetNumbers target={target} onChange={onChange} />
      </Collapse>
    </Paper>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** Dragged by the pointer, moved by the arrow keys. */
function Handle({ number, onMove, onDrag }: Pick<TargetRowProps, "number" | "onMove" | "onDrag">) {
  const label = `Move target ${number}: drag it, or use the arrow keys`;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onMove(step);
  };
  return (
    <ActionIcon
      aria-label={label}
      title={label}
      data-handle
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", String(number));
        onDrag(number - 1);
      }}
      onDragEnd={() => onDrag(undefined)}
      onKeyDown={onKeyDown}
      className="console-grip"
    >
      <Icon name="grip" />
    </ActionIcon>
  );
}

function TargetNumbers({ target, onChange }: Pick<TargetRowProps, "target" | "onChange">) {
  const change = (name: string, value: string | number) => {
    const { [name]: _before, ...rest } = target as Readonly<Record<string, unknown>>;
    onChange(
      typeof value === "number" ? ({ ...rest, [name]: value } as unknown as Target) : (rest as unknown as Target),
    );
  };
  return (
    <Group gap="xs" grow mt="xs">
      {numberNames.map((name) => (
        <NumberInput
          key={name}
          label={toLabel(name)}
          value={typeof target[name] === "number" ? target[name] : ""}
          onChange={(value) => change(name, value)}
          min={0}
          hideControls
        />
      ))}
    </Group>
  );
}
