import type { Arguments } from "../api/control-plane.ts";
import type { OperationName } from "../api/types.ts";
import { useChange, useMay } from "../api/use-control-plane.ts";
import { notifyDone, notifyFailed, notifyUndoable } from "./notify.ts";

interface SwitchOptions {
  readonly operation: OperationName;
  /** Arguments that identify the item. */
  readonly args: Arguments;
  /** The argument with the state. */
  readonly flag: "enabled" | "is_active";
  /** Messages about the consequence, not only the state. */
  readonly words: { readonly on: string; readonly off: string };
}

export interface Switching {
  readonly mayChange: boolean;
  readonly isPending: boolean;
  /** Makes the change and offers to undo it for ten seconds. Resolves with whether it was made; an error is shown. */
  readonly change: (isOn: boolean) => Promise<boolean>;
}

/** Logic of every switch: turns an item on or off. The undo offer outlives the page. */
export function useSwitch({ operation, args, flag, words }: SwitchOptions): Switching {
  const mayChange = useMay(operation);
  const { mutateAsync, isPending } = useChange(operation);
  const make = async (isOn: boolean, onMade: () => void): Promise<boolean> => {
    try {
      await mutateAsync({ ...args, [flag]: isOn });
    } catch (err) {
      notifyFailed(err instanceof Error ? err : new Error(String(err)));
      return false;
    }
    onMade();
    return true;
  };
  const wordsOf = (isOn: boolean) => (isOn ? words.on : words.off);
  const undo = (isOn: boolean) => void make(isOn, () => notifyDone(`Undone. ${wordsOf(isOn)}`));
  const id = JSON.stringify([operation, args]);
  const change = async (isOn: boolean) => await make(isOn, () => notifyUndoable(id, wordsOf(isOn), () => undo(!isOn)));
  return { mayChange, isPending, change };
}
