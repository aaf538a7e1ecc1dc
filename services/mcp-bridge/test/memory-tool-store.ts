import { GatewayError } from "@gatehouse/errors";
import type { McpTool } from "@gatehouse/mcp";
import type { ToolCatalogueStore } from "../src/domain/bridge-tool.ts";

interface Row {
  readonly tools: readonly McpTool[];
  readonly listedAt: Date;
}

/** In-memory store that counts its writes and can fail. `tool-store.integration.test.ts` runs one contract on it and the tables. */
export class MemoryToolStore implements ToolCatalogueStore {
  readonly rows = new Map<string, Row>();
  /** Tool names of each write. */
  readonly saves: string[] = [];
  failing = false;

  async find(projectUuid: string): Promise<readonly McpTool[] | undefined> {
    await this.#fail();
    return this.rows.get(projectUuid)?.tools;
  }

  async save(projectUuid: string, tools: readonly McpTool[], listedAt: Date): Promise<boolean> {
    await this.#fail();
    const kept = this.rows.get(projectUuid);
    if (kept !== undefined && kept.listedAt > listedAt) return false;
    this.saves.push(tools.map(({ name }) => name).join());
    this.rows.set(projectUuid, { tools, listedAt });
    return true;
  }

  async prune(before: Date): Promise<void> {
    await this.#fail();
    for (const [project, { listedAt }] of this.rows) if (listedAt < before) this.rows.delete(project);
  }

  async #fail(): Promise<void> {
    await Promise.resolve();
    if (this.failing) throw new GatewayError("unavailable", "A service of the gateway is not available.");
  }
}
