import { missingToken } from "../../api/call-error.ts";

interface Sending {
  /** Empty: none yet. */
  readonly token: string;
  readonly text: string;
  /** The conversation itself, then the one beside it. */
  readonly sides: readonly { readonly areSettingsValid: boolean; readonly isRunning: boolean }[];
}

/** Why a message cannot be sent, in words for people; undefined: it can. */
export function sendProblem({ token, text, sides: [own, ...others] }: Sending): string | undefined {
  if (token === "") return missingToken;
  if (own?.areSettingsValid === false) return "The tools are not a list.";
  if (others.some(({ areSettingsValid }) => !areSettingsValid))
    return "The tools of the other conversation are not a list.";
  if (others.some(({ isRunning }) => isRunning)) return "The call of the other conversation is still running.";
  return text === "" ? "The message is empty." : undefined;
}
