import { expect, test } from "vitest";
import { findSettings, judgeSettings, readOperationOwners } from "./settings.ts";

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

test("settings of services that are read by their names are found, those of all owners of operations among them", () => {
  const trust = { path: "", text: `export const operationOwners = [\n  "shop",\n  "price-book",\n] as const;` };
  const reader = `
const shops = operationOwners.map((name) => readPeer(env, name));
const bridge = readPeer(env, "hat-bridge");
function readPeer(env: EnvReader, name: string) {
  const prefix = settingPrefix(name);
  return env.text(\`\${prefix}_RPC_ADDRESS\`, "");
}
`;
  const found = findSettings({ path: "", text: reader }, readOperationOwners(trust));
  expect(found.map(({ name }) => name)).toEqual([
    "SHOP_RPC_ADDRESS",
    "PRICE_BOOK_RPC_ADDRESS",
    "HAT_BRIDGE_RPC_ADDRESS",
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
