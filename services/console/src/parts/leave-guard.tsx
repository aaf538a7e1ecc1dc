import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type ShouldBlockFn, useBlocker } from "@tanstack/react-router";
import { createContext, type ReactNode, useCallback, useContext, useLayoutEffect, useState } from "react";
import { useFocusBack } from "./use-focus-back.ts";

interface LeaveGuardProps {
  /** Whether leaving would lose anything; a function is asked at the moment of leaving. */
  readonly isAtStake: boolean | (() => boolean);
  /** In words for the person. */
  readonly loss: string;
  /** Whether it stays where another endpoint is chosen on the same page. */
  readonly outlivesEndpoint?: boolean;
}

interface Stake extends Pick<LeaveGuardProps, "loss"> {
  readonly isNow: () => boolean;
  readonly outlivesEndpoint: boolean;
  /** The drawer that it is in. */
  readonly panel: object | undefined;
}

/** The drawer that a guard stands in: its loss comes with closing that drawer, too. */
export const PanelContext = createContext<object | undefined>(undefined);

/** Everything on the page that leaving may lose. */
const stakes = new Set<Stake>();

/**
 * Loss by an end of the page that is no way to another address, such as a sign-out; undefined where nothing would be lost.
 * @param panel of this drawer alone
 */
export function lossAtStake(panel?: object): string | undefined {
  return lossAmong((stake) => panel === undefined || stake.panel === panel);
}

function lossAmong(isMeant: (stake: Stake) => boolean): string | undefined {
  return [...stakes].findLast((stake) => isMeant(stake) && stake.isNow())?.loss;
}

/** Asks before the page, or the drawer around it, is left; see {@link LeaveQuestion}. */
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
 * The one question before the page is left by a link, by Back or by closing it, for all guards on it. Another filter of the same page
 * is no leaving; another endpoint is, since its form takes the place of this one. The guards are asked at the moment of leaving: a
 * blocker of each, which React renews after a drawing, would come late for a key that follows another at once.
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

/** While a question about a loss is asked, keys such as Escape are for it, not for what is below. */
export function isLossAsked(): boolean {
  return openQuestions > 0;
}

interface LossDialogProps {
  readonly title: string;
  readonly loss: string;
  /** The button that loses it. */
  readonly leave: string;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

interface LossQuestionOptions extends Pick<LossDialogProps, "title" | "leave"> {
  /** The drawer whose loss is asked about; the whole page's where absent. */
  readonly panel?: object | undefined;
}

/**
 * The question before something other than a way to another address, such as closing a drawer, loses what a guard has at stake.
 * `ask` goes on at once where nothing is.
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

/** Asks whether something may be lost; Escape and a click beside it keep it. */
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
