import { expect, test } from "vitest";
import { commands } from "./commands.ts";
import { deriveCommands } from "./derive-commands.ts";
import type { Operation } from "./operations.ts";
import { operations } from "./operations.ts";
import { wordings } from "./wording.ts";

const update: Operation = {
  name: "svc_update_hat",
  description: "Changes a hat. What is not named stays.",
  inputSchema: {
    properties: {
      hat_id: { type: "integer", description: "The hat's id." },
      title: { type: "string", description: "Its title." },
      size: { type: ["integer", "null"], description: "Its size." },
      worn_at: { type: ["string", "null"], format: "date-time", description: "When." },
      colours: {
        type: ["array", "null"],
        items: { type: "string", enum: ["red", "blue"] },
        description: "Its colours.",
      },
      secret: { type: "string", writeOnly: true, description: "A secret." },
      lining: { type: ["object", "null"], description: "Its lining." },
      is_soft: { type: "boolean", description: "Whether it is soft." },
    },
    required: ["hat_id", "title"],
  },
};

test("an operation without wording becomes a command with a word or an option for each argument", () => {
  const [command] = deriveCommands(update);
  expect(command).toMatchObject({ path: ["hat", "update"], operation: "svc_update_hat", fixed: {} });
  expect(command?.words.map(({ name }) => name)).toEqual(["hat-id", "title"]);
  expect(command?.options.map(({ name, kind, nullWord }) => [name, kind, nullWord])).toEqual([
    ["size", "integer", "unlimited"],
    ["worn-at", "text", "never"],
    ["colour", "texts", "all"],
    ["secret-from", "secret", undefined],
    ["lining", "json", undefined],
    ["is-soft", "flag", undefined],
    ["unset", "unset", undefined],
  ]);
  expect(command?.options[2]?.description).toBe("Its colours. One of red, blue. Repeatable. Or all.");
});

test("an operation that sets a switch becomes two commands", () => {
  const [on, off] = deriveCommands({
    name: "svc_set_hat_active",
    description: "Switches a hat.",
    inputSchema: {
      properties: { hat_id: { type: "integer" }, is_active: { type: "boolean" } },
      required: ["hat_id", "is_active"],
    },
  });
  expect(on).toMatchObject({ path: ["hat", "activate"], fixed: { is_active: true }, options: [] });
  expect(off).toMatchObject({ path: ["hat", "deactivate"], fixed: { is_active: false }, options: [] });
});

test("a command whose operation deletes, revokes or rotates asks with the operation's first sentence", () => {
  const confirmsOf = (name: string) => {
    return deriveCommands({ name, description: "Takes a hat: at once. And more.", inputSchema: {} })[0]?.confirms;
  };
  const asked = { consequence: "Takes a hat", needsYes: false };
  expect(["svc_delete_hat", "svc_revoke_hat", "svc_rotate_hat_pin"].map(confirmsOf)).toEqual([asked, asked, asked]);
  expect(["svc_update_hat", "svc_get_hat"].map(confirmsOf)).toEqual([undefined, undefined]);
});

test("an operation that lists becomes a command that prints a table", () => {
  const [list] = deriveCommands({ name: "svc_list_hat_rooms", description: "Lists.", inputSchema: {} });
  expect(list).toMatchObject({ path: ["hat-room", "list"], table: { list: "hat_rooms" } });
});

test("every wording is of an existing operation, and every argument occurs once in its command", () => {
  const names = operations.map(({ name }) => name);
  expect(Object.keys(wordings).filter((name) => !names.includes(name))).toEqual([]);
  for (const { path, words, options } of commands) {
    const given = [...words, ...options].map(({ name }) => name);
    expect(new Set(given).size, path.join(" ")).toBe(given.length);
  }
});
