import {
  defineOperation,
  defineResource,
  id,
  object,
  ofProject,
  page,
  pageOf,
  project,
  readProject,
  shown,
  string,
  toPageRequest,
  writable,
  writeProject,
} from "@gatehouse/admin";
import { createThing, listThings, type ThingStore } from "../store/things.ts";

interface AdminContext {
  readonly store: ThingStore;
}

const nameLengthMax = 200;

/** Fields of a thing, from which its arguments, its JSON Schema and its shown form follow. */
export const thing = defineResource({
  id: shown(id("The thing's id.")),
  project: ofProject,
  name: writable(string({ description: "A name for people.", lengthMax: nameLengthMax })),
});

const create = defineOperation({
  name: "svc_create_thing",
  description: "Creates a thing.",
  access: writeProject,
  input: object({ project, ...thing.createInput }),
  output: thing.shape,
  async run({ input }, { store }: AdminContext) {
    return thing.encode(await createThing(store, { projectUuid: input.project, name: input.name }));
  },
});

const list = defineOperation({
  name: "svc_list_things",
  description: "Lists a project's things, oldest first.",
  access: readProject,
  input: object({ project, ...page }),
  output: pageOf("things", thing.shape),
  async run({ input }, { store }: AdminContext) {
    const { items, nextCursor } = await listThings(store, input.project, toPageRequest(input));
    return { things: items.map(thing.encode), next_cursor: nextCursor ?? null };
  },
});

/** Operations of this service, which the Control Plane offers as tools once the service is among its owners. */
export const thingOperations = [create, list] as const;
