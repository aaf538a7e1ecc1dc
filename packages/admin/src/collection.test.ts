import { expect, test } from "vitest";
import {
  bindAdmin,
  boolean,
  defineCollection,
  defineResource,
  id,
  project,
  resourceNotFound,
  rowKey,
  shown,
  string,
  uuidKey,
  writable,
} from "./index.ts";
import { openTestAdmin } from "./testing.ts";

interface Hat {
  readonly id: number;
  readonly title: string;
  readonly projectUuid: string;
}

interface Context {
  readonly hats: readonly Hat[];
}

const hat = defineResource({
  id: shown(id("The hat's id.")),
  title: writable(string({ description: "A title.", lengthMax: 10 })),
});

function find({ hats }: Context, asked: number): Hat {
  const found = hats.find((each) => each.id === asked);
  if (found === undefined) throw resourceNotFound("Hat", asked);
  return found;
}

const hats = defineCollection({
  list: "hats",
  projectTypes: ["shop"],
  key: rowKey("Hat", "hat_id"),
  findProject: async (asked, context: Context) => await Promise.resolve(find(context, asked).projectUuid),
  shape: hat.shape,
  show: (row: Hat) => hat.encode(row),
});

const read = { right: "read", scope: "project" } as const;
const write = { right: "write", scope: "project" } as const;

const operations = [
  hats.list({
    name: "svc_list_hats",
    description: "Lists hats.",
    access: read,
    input: { project },
    async find({ input }, page, context: Context) {
      const items = context.hats.filter(({ projectUuid }) => projectUuid === input.project).slice(0, page.limit);
      return await Promise.resolve({ items, nextCursor: page.cursor === undefined ? "next" : undefined });
    },
  }),
  hats.one({
    name: "svc_update_hat",
    description: "Changes a hat.",
    access: write,
    input: { ...hat.updateInput, loud: boolean("Whether its title is in capitals.") },
    async run(asked, { input: { title = "", loud } }, context: Context) {
      return await Promise.resolve({ ...find(context, asked), title: loud ? title.toUpperCase() : title });
    },
  }),
  hats.remove({
    name: "svc_delete_hat",
    description: "Deletes a hat.",
    access: write,
    run: async (asked, _call, context: Context) => await Promise.resolve(find(context, asked)),
  }),
];

const context: Context = { hats: [{ id: 7, title: "bowler", projectUuid: "p" }] };
const admin = openTestAdmin(bindAdmin({ operations, context, deleteProject: async () => await Promise.resolve() }));
const shop = { id: 1, uuid: "p", name: "Shop", projectType: "shop" };

test("a list has the arguments of pages and its own, and returns the next page's cursor", async () => {
  expect(await admin.call("svc_list_hats", { project: "p" }, shop)).toEqual({
    hats: [{ id: 7, title: "bowler" }],
    next_cursor: "next",
  });
  expect(await admin.call("svc_list_hats", { project: "q", cursor: "next" }, shop)).toEqual({
    hats: [],
    next_cursor: null,
  });
});

test("an operation on one resource takes its key and returns the resource", async () => {
  const input = { hat_id: 7, title: "fez", loud: true };
  expect(await admin.call("svc_update_hat", input, shop)).toEqual({ id: 7, title: "FEZ" });
  expect(await admin.call("svc_delete_hat", { hat_id: 7 }, shop)).toEqual({ id: 7, title: "bowler", deleted: true });
  expect(await admin.findProject("svc_delete_hat", 7)).toBe("p");
});

test.each([
  [{}, "Missing required argument: hat_id"],
  [{ hat_id: 8 }, "Hat not found: 8"],
  [{ hat_id: 2 ** 31 }, "Hat not found: 2147483648"],
  [{ hat_id: 7, title: "x" }, "Unknown argument: title"],
])("deleting with %j is refused: %s", async (input, message) => {
  await expect(admin.call("svc_delete_hat", input, shop)).rejects.toThrow(message);
});

test("operations on one resource are refused for other project types", async () => {
  const other = admin.call("svc_delete_hat", { hat_id: 7 }, { ...shop, projectType: "library" });
  await expect(other).rejects.toThrow("svc_delete_hat is not for projects of type library.");
});

test("a list is empty for other project types", async () => {
  const library = { ...shop, uuid: "l", projectType: "library" };
  const listed = await admin.call("svc_list_hats", { project: "l", cursor: "next" }, library);
  expect(listed).toEqual({ hats: [], next_cursor: null });
});

test("a uuid in capitals is read in lower case, and other texts are not found", () => {
  const { read: readUuid } = uuidKey("Hat", "hat");
  expect(readUuid("7B0E8D3A-0000-4000-8000-000000000000" as never)).toBe("7b0e8d3a-0000-4000-8000-000000000000");
  expect(() => readUuid("7" as never)).toThrow("Hat not found: 7");
});
