import { expect, test } from "vitest";
import { changeSettings, encodeSettings, readSettings } from "./upstream-settings.ts";
import { isToolAllowed } from "./tool-policy.ts";

test("an empty document has every default", () => {
  expect(encodeSettings(readSettings({}))).toEqual({
    allowed_tools: null,
    denied_tools: [],
    on_tools_changed: "warn",
    session_mode: "per_token",
    pass_metadata: false,
    call_timeout_ms: 300_000,
    list_timeout_ms: 5_000,
  });
});

test("changes are laid over what is kept, and null gives a default back", () => {
  const kept = { pass_metadata: true, call_timeout_ms: 1_000 };
  const { settings, document } = changeSettings(kept, { call_timeout_ms: null, denied_tools: ["a"] });
  expect(document).toEqual({ pass_metadata: true, denied_tools: ["a"] });
  expect(settings).toMatchObject({ passMetadata: true, callTimeoutMs: 300_000, deniedTools: ["a"] });
});

test.each([
  [[], "settings must be object"],
  [{ nope: 1 }, "Unknown setting: nope"],
  [{ allowed_tools: "a" }, "allowed_tools must be array"],
  [{ allowed_tools: [""] }, "allowed_tools[0] must be a string of 1 to 256 characters"],
  [{ denied_tools: ["a", "\n"] }, "denied_tools[1] must not have control characters"],
  [{ on_tools_changed: 1 }, "Invalid on_tools_changed: 1"],
  [{ pass_metadata: "yes" }, "pass_metadata must be boolean"],
  [{ list_timeout_ms: 1.5 }, "list_timeout_ms must be integer"],
  [{ list_timeout_ms: 60_001 }, "list_timeout_ms must be from 100 to 60000"],
])("%o is refused: %s", (document, message) => {
  expect(() => readSettings(document)).toThrow(message);
});

test.each([
  [null, [], "any", true],
  [["a*"], [], "abc", true],
  [["a*"], [], "b", false],
  [["abc"], ["ab*"], "abc", false],
  [[], [], "a", false],
  [null, ["*"], "a", false],
])("allowed %o and denied %o for %s: %s", (...row) => {
  const [allowedTools, deniedTools, name, expected] = row;
  expect(isToolAllowed(name, { ...readSettings({}), allowedTools, deniedTools })).toBe(expected);
});
