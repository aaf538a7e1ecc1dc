import type { JsonObject } from "@gatehouse/json-rpc";
import { expect, test } from "vitest";
import { changedSettings, changeSettings, isToolAllowed, readSettings } from "./upstream-settings.ts";

test("an empty document has every default", () => {
  expect(readSettings({})).toEqual({
    allowedTools: null,
    deniedTools: [],
    onToolsChanged: "warn",
    sessionMode: "per_token",
    passMetadata: false,
    callTimeoutMs: 300_000,
    listTimeoutMs: 5_000,
  });
});

test("changes are merged into the stored settings, and null restores a default", () => {
  const kept = { pass_metadata: true, call_timeout_ms: 1_000 };
  const document = changeSettings(kept, { call_timeout_ms: null, denied_tools: ["a"] });
  expect(document).toEqual({ pass_metadata: true, denied_tools: ["a"] });
  expect(readSettings(document)).toMatchObject({ passMetadata: true, callTimeoutMs: 300_000, deniedTools: ["a"] });
});

test.each<readonly [object, JsonObject, readonly string[]]>([
  [{}, { on_tools_changed: "warn", pass_metadata: false, denied_tools: [], allowed_tools: null }, []],
  [{}, { on_tools_changed: "hide", pass_metadata: null, call_timeout_ms: 300_000 }, ["on_tools_changed"]],
  [{ on_tools_changed: "hide" }, { on_tools_changed: "hide", session_mode: "shared" }, ["session_mode"]],
  [{ on_tools_changed: "hide" }, { on_tools_changed: null }, ["on_tools_changed"]],
  [{ denied_tools: ["a"] }, { denied_tools: ["a"] }, []],
  [{ denied_tools: ["a"] }, { denied_tools: ["b"] }, ["denied_tools"]],
  [{}, {}, []],
])("to settings %j, %j is a change of %j", (kept, changes, changed) => {
  expect(changedSettings(kept, changes)).toEqual(changed);
});

test.each([
  [null, [], "any", true],
  [["a*"], [], "abc", true],
  [["a*"], [], "b", false],
  [["abc"], ["ab*"], "abc", false],
  [[], [], "a", false],
  [null, ["*"], "a", false],
  [null, ["delete_*_all"], "delete_user_all", false],
  [null, ["*_write"], "file_write", false],
  [null, ["*_write"], "file_read", true],
  [["*_read"], [], "file_read", true],
  [["*_read"], [], "file_reader", false],
  [null, ["a*"], `a${"b".repeat(2_000)}`, false],
  [null, [], "b".repeat(2_000), true],
])("allowed %o and denied %o for %s: %s", (...row) => {
  const [allowedTools, deniedTools, name, expected] = row;
  expect(isToolAllowed(name, { ...readSettings({}), allowedTools, deniedTools })).toBe(expected);
});
