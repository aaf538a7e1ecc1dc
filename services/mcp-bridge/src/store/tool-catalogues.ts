import { answered, type Database, reading } from "@gatehouse/database";
import type { McpTool } from "@gatehouse/json-rpc";
import type { ToolCatalogueStore } from "../domain/tool-catalogue.ts";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** Asked for when chat has not answered in time, so that little of the caller's time is left, milliseconds. */
const recallTimeoutMs = 300;

/** Opens the store of last known tools. @throws GatewayError `unavailable` where the database is away, from each method. */
export function createToolCatalogueStore(database: Database): ToolCatalogueStore & { close(): Promise<void> } {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  return {
    async find(projectUuid) {
      const ask = async () => await prisma.toolCatalogue.findUnique({ where: { projectUuid } });
      const row = await reading(async () => await answered(ask, { timeoutMs: recallTimeoutMs }));
      // The column holds what `save` wrote.
      return row === null ? undefined : (row.tools as unknown as readonly McpTool[]);
    },
    async save(projectUuid, tools, listedAt) {
      const values = { tools: tools as unknown as Prisma.InputJsonValue, listedAt };
      await reading(async () => {
        return await prisma.toolCatalogue.upsert({
          where: { projectUuid },
          create: { projectUuid, ...values },
          update: values,
        });
      });
    },
    async prune(before) {
      await reading(async () => await prisma.toolCatalogue.deleteMany({ where: { listedAt: { lt: before } } }));
    },
    close: async () => await prisma.$disconnect(),
  };
}
