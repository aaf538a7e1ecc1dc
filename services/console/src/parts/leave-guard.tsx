import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useLayoutEffect } from "react";
import { useFocusBack } from "./use-focus-back.ts";

interface LeaveGuardProps {
  /** Whether leaving would lose anything. */
  readonly isAtStake: boolean;
  /** In words for the person. */
  readonly loss: string;
}

/** Losses of all guards that are on the page, by their guard. */
const losses = new Map<object, string>();

/** Loss by an end of the page that is no way to another address, such as a sign-out; undefined where nothing would be lost. */
export function lossAtStake(): string | undefined {
  return [...losses.values()].at(-1);
}

/**
 * Asks before the page is left by a link, by Back or by closing it. Another filter of the same page is no leaving; another endpoint
 * is, since its form takes the place of this one.
 */
export function LeaveGuard({ isAtStake, loss }: LeaveGuardProps) {
  useLayoutEffect(() => {
    if (!isAtStake) return undefined;
    const guard = {};
    losses.set(guard, loss);
    return () => void losses.delete(guard);
  }, [isAtStake, loss]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isAtStake && (current.pathname !== next.pathname || endpointOf(current.search) !== endpointOf(next.search)),
    enableBeforeUnload: () => isAtStake,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <LossDialog title="Leave this page?" loss={loss} leave="Leave" onStay={blocker.reset} onLeave={blocker.proceed} />
  );
}

function endpointOf(search: object): unknown {
  return "endpoint" in search ? search.endpoint : undefined;
}

interface LossDialogProps {
  readonly title: string;
  readonly loss: string;
  /** The button that loses it. */
  readonly leave: string;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Asks whether something may be lost; Escape and a click beside it keep it. */
export function LossDialog({ title, loss, leave, onStay, onLeave }: LossDialogProps) {
  useFocusBack();
  return (
    <Modal opened onClose={onStay} title={title}>
      <Stack>
        <Text size="sm">{loss}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onStay} data-autofocus>
            Stay
          </Button>
          <Button color="red.8" onClick={onLeave}>
            {leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
