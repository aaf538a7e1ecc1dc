import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type ShouldBlockFn, useBlocker } from "@tanstack/react-router";
import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useState } from "react";
import { useFocusBack } from "./use-focus-back.ts";

interface LeaveGuardProps {
  /** Whether leaving would lose input; a function is called at that time. */
  readonly isAtStake: boolean | (() => boolean);
  /** Description of the loss, for people. */
  readonly loss: string;
  /** Whether it stays when another endpoint is chosen on the same page. */
  readonly outlivesEndpoint?: boolean;
}

interface Stake extends Pick<LeaveGuardProps, "loss"> {
  readonly isNow: () => boolean;
  readonly outlivesEndpoint: boolean;
  /** Its drawer. */
  readonly panel: object | undefined;
}

/** The drawer around a guard; closing that drawer loses the input as well. */
export const PanelContext = createContext<object | undefined>(undefined);

/** All input on the page that leaving may lose. */
const stakes = new Set<Stake>();

/**
 * Loss by an end of the page other than navigation, such as a sign-out; undefined: none.
 * @param panel restricts to this drawer
 */
export function lossAtStake(panel?: object): string | undefined {
  return lossAmong((stake) => panel === undefined || stake.panel === panel);
}

function lossAmong(isMeant: (stake: Stake) => boolean): string | undefined {
  return [...stakes].findLast((stake) => isMeant(stake) && stake.isNow())?.loss;
}

/** Asks before the page, or the surrounding drawer, is left; see {@link LeaveQuestion}. */
export function LeaveGuard({ isAtStake, loss, outlivesEndpoint = false }: LeaveGuardProps) {
  const panel = useContext(PanelContext);
  useLayoutEffect(() => {
    if (isAtStake === false) return undefined;
    const stake = { loss, outlivesEndpoint, panel, isNow: isAtStake === true ? () => true : isAtStake };
    stakes.add(stake);
    return () => void stakes.delete(stake);
  }, [isAtStake, loss, outlivesEndpoint, panel]);
  return null;
}

const isAnythingAtStake = () => lossAtStake() !== undefined;

/**
 * The common question of all guards before navigation, Back or closing the page. Filters of the same page do not count; another
 * endpoint does, since its form replaces this one. Guards are asked at that time: a blocker in each, which React renews after
 * rendering, would be late for a key that follows at once.
 */
export function LeaveQuestion() {
  const [loss, setLoss] = useState("");
  const [shouldBlockFn] = useState((): ShouldBlockFn => ({ current, next }) => {
    const isPageLeft = current.pathname !== next.pathname;
    const isEndpointLeft = endpointOf(current.search) !== endpointOf(next.search);
    const lost = lossAmong(({ outlivesEndpoint }) => isPageLeft || (isEndpointLeft && !outlivesEndpoint));
    if (lost !== undefined) setLoss(lost);
    return lost !== undefined;
  });
  const blocker = useBlocker({ shouldBlockFn, enableBeforeUnload: isAnythingAtStake, withResolver: true });
  if (blocker.status !== "blocked") return null;
  return (
    <LossDialog title="Leave this page?" loss={loss} leave="Leave" onStay={blocker.reset} onLeave={blocker.proceed} />
  );
}

function endpointOf(search: object): unknown {
  return "endpoint" in search ? search.endpoint : undefined;
}

let openQuestions = 0;

/** Whether the question is open; keys such as Escape then belong to it. */
export function isLossAsked(): boolean {
  return openQuestions > 0;
}

interface LossDialogProps {
  readonly title: string;
  readonly loss: string;
  /** Label of the button that accepts the loss. */
  readonly leave: string;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

interface LossQuestionOptions extends Pick<LossDialogProps, "title" | "leave"> {
  /** The drawer whose loss is asked about; absent: the whole page. */
  readonly panel?: object | undefined;
}

/**
 * Question before actions other than navigation, such as closing a drawer, that would lose guarded input. `ask` proceeds at once
 * where there is none.
 */
export function useLossQuestion({ title, leave, panel }: LossQuestionOptions) {
  const [asked, setAsked] = useState<Pick<LossDialogProps, "loss" | "onLeave">>();
  const ask = useCallback(
    (goOn: () => void) => {
      const loss = lossAtStake(panel);
      const onLeave = () => {
        setAsked(undefined);
        goOn();
      };
      if (loss === undefined) goOn();
      else setAsked({ loss, onLeave });
    },
    [panel],
  );
  const question: ReactNode = asked !== undefined && (
    <LossDialog title={title} leave={leave} onStay={() => setAsked(undefined)} {...asked} />
  );
  return { ask, question };
}

/** Asks whether input may be lost; Escape and a click outside keep it. */
function LossDialog({ title, loss, leave, onStay, onLeave }: LossDialogProps) {
  useFocusBack();
  useLayoutEffect(() => {
    openQuestions += 1;
    return () => void (openQuestions -= 1);
  }, []);
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
