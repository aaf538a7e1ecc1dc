import { expect, test } from "vitest";
import { findSettings, judgeSettings } from "./settings.ts";

const text = `
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
export const read = (env: EnvReader) => ({
  folder: env.text("HAT_FOLDER", "./hats"),
  idleMs: env.integer("HAT_IDLE_MS", { default: 2 * minuteMs, min: 1, max: 10 }),
  dyer: readPeer(env, "DYER", 9_999),
});
const readPeer = (env: EnvReader, name: string) => env.text(\`\${name}_RPC_ADDRESS\`, "");
`;
const settings = findSettings({ path: "services/hats/src/config.ts", text });

test("settings are found with their numbers, those of a prefix too", () => {
  expect(settings.map(({ name, fallback }) => [name, fallback])).toEqual([
    ["HAT_FOLDER", undefined],
    ["HAT_IDLE_MS", "120000"],
    ["DYER_RPC_ADDRESS", undefined],
  ]);
});

test.each([
  ["| `HAT_FOLDER`, `HAT_IDLE_MS`, `DYER_RPC_ADDRESS` | `./hats`, `120000` | Hats. |", []],
  [
    "| `HAT_FOLDER`, `HAT_IDLE_MS`, `DYER_RPC_ADDRESS` | `./hats`, `60000` | Hats. |",
    ["HAT_IDLE_MS of services/hats/src/config.ts has the default 120000, which its row does not give"],
  ],
  [
    "| `HAT_IDLE_MS`, `DYER_RPC_ADDRESS`, `HAT_SIZE` | `120000` | Hats. |",
    ["HAT_FOLDER of services/hats/src/config.ts is not listed", "HAT_SIZE is listed and no reader asks for it"],
  ],
])("the row %s", (row, problems) => {
  expect(judgeSettings(settings, row)).toEqual(problems);
});
