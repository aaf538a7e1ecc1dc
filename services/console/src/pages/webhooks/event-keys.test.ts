import { expect, test } from "vitest";
import page from "../../../../../docs/events.md?raw";
import { choosableEvents } from "./event-keys.ts";

/** Each key with its paragraph. */
const entries = page
  .split(/^### /m)
  .slice(1)
  .map((entry) => ({ key: /^`([^`]+)`/.exec(entry)?.[1] ?? "", isWide: entry.includes("; of the whole gateway:") }));
const keys = entries.map(({ key }) => key);

test("all events are for people of the whole gateway", () => {
  expect(keys.length).toBeGreaterThan(40);
  expect(choosableEvents(keys, false)).toEqual(keys);
});

test("people of named projects are offered the events of projects alone", () => {
  const ofProjects = entries.filter(({ key, isWide }) => !isWide && key !== "project.created");
  expect(choosableEvents(keys, true)).toEqual(ofProjects.map(({ key }) => key));
});
