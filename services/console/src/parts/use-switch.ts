import type { Arguments } from "../api/control-plane.ts";
import type { OperationName } from "../api/types.ts";
import { useChange, useMay } from "../api/use-control-plane.ts";
import { notifyDone, notifyFailed, notifyUndoable } from "./notify.ts";

interface SwitchOptions {
  readonly operation: OperationName;
  /** Names of the thing that is switched. */
  readonly args: Arguments;
  /** The argument that says on or off. */
  readonly flag: "enabled" | "is_active";
  /** Sentences for afterwards: consequence, not only state. */
  readonly words: { readonly on: string; readonly off: string };
}

export interface Switching {
  readonly mayChange: boolean;
  readonly isPending: boolean;
  /** Offers for ten seconds to undo it. Resolves to whether it was made; why not is shown. */
  readonly change: (isOn: boolean) => Promise<boolean>;
}

/** Every switch of the console: turns a thing on or off. The offer outlives the page that made the change. */
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
