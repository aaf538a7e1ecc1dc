import { notifications } from "@mantine/notifications";
import { createElement } from "react";
import { CallError } from "../api/call-error.ts";
import { UndoMessage } from "./undo-message.tsx";

/** Notifies of a success, in green, for four seconds. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: "green", autoClose: 4_000 });
}

const undoableMs = 10_000;

/**
 * Notifies of a change, with an undo button for ten seconds.
 * @param id of the changed item, whose earlier notification is replaced
 */
export function notifyUndoable(id: string, message: string, undo: () => void): void {
  const onUndo = () => {
    notifications.hide(id);
    undo();
  };
  notifications.hide(id);
  notifications.show({
    id,
    message: createElement(UndoMessage, { message, onUndo }),
    color: "green",
    autoClose: undoableMs,
  });
}

/** Shows the `warning` of an answer, if any. */
export function notifyWarningOf(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("warning" in answer)) return;
  const { warning } = answer;
  if (typeof warning === "string") {
    notifications.show({ title: "Saved, with a warning", message: warning, color: "yellow", autoClose: 20_000 });
  }
}

/** For failures of a single click, which has no form to show them. */
export function notifyFailed(err: Error): void {
  const requestId = err instanceof CallError && err.requestId !== undefined ? ` (request ${err.requestId})` : "";
  notifications.show({ message: `${err.message}${requestId}`, color: "red", autoClose: 10_000 });
}
