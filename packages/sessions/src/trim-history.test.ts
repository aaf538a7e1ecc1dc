import type { ChatMessage } from "@gatehouse/providers";
import { expect, test } from "vitest";
import { trimHistory } from "./trim-history.ts";

const turn = (index: number): ChatMessage[] => [
  { role: "user", content: `question ${index}` },
  { role: "assistant", content: `answer ${index}` },
];
const history = [0, 1, 2, 3].flatMap(turn);
const perWord = async (messages: readonly ChatMessage[]) =>
  messages.map(({ content }) => String(content).split(" ").length);
const never = async () => await Promise.reject(new Error("counted without need"));

test("the newest messages are kept", async () => {
  expect(await trimHistory(history, 4, undefined, never)).toEqual([...turn(2), ...turn(3)]);
});

test("a history never starts with an answer", async () => {
  expect(await trimHistory(history, 3, undefined, never)).toEqual(turn(3));
  expect(await trimHistory(history, 1, undefined, never)).toEqual([]);
});

test("messages that exceed the context are dropped, oldest first", async () => {
  expect(await trimHistory(history, 100, 9, perWord)).toEqual([...turn(2), ...turn(3)]);
  expect(await trimHistory(history, 100, 0, perWord)).toEqual([]);
});

test("a history that fits by its bytes is not counted", async () => {
  expect(await trimHistory(history, 100, 1_000, never)).toEqual(history);
});
