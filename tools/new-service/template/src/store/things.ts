import { type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import type { OutboxKernel, Store } from "@gatehouse/service";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

interface Thing {
  readonly id: number;
  readonly projectUuid: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Its changes are uuids of projects, whose things every replica must read again. */
export type ThingStore = Store<PrismaClient, Prisma.TransactionClient, string>;

/** Opens the store; it is closed with the service. */
export function openThingStore(kernel: OutboxKernel): ThingStore {
  return kernel.openStore(
    (adapter) => new PrismaClient({ adapter }),
    (projectUuid) => projectUuid,
  );
}

/** Stores a new thing, and announces its project, whose things every replica reads again. */
export async function createThing(store: ThingStore, data: Pick<Thing, "name" | "projectUuid">): Promise<Thing> {
  return await store.write(async ({ thing }) => {
    const result = await thing.create({ data });
    // Its event: one entry of packages/audit/src/catalogue.ts, one function in src/events.ts, and its call here.
    return { result, changes: [result.projectUuid], events: [] };
  });
}

/** Oldest first. */
export async function listThings(
  store: ThingStore,
  projectUuid: string,
  page: PageRequest,
): Promise<PageResult<Thing>> {
  const toThing = (row: Thing) => row;
  return await readPage(page, toThing, async ({ after, ...query }) => {
    return await store.read(async ({ thing }) => await thing.findMany({ where: { projectUuid, ...after }, ...query }));
  });
}

/** Deletes the things of a deleted project, whose deletion is the event; there may be none. */
export async function deleteProject(store: ThingStore, projectUuid: string): Promise<void> {
  await store.write(async ({ thing }) => {
    const { count } = await thing.deleteMany({ where: { projectUuid } });
    return { result: undefined, changes: count > 0 ? [projectUuid] : [], events: [] };
  });
}
