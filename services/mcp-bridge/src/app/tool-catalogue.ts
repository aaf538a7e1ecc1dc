import { BoundedCache } from "@gatehouse/bounded-cache";
import { isGatewayError } from "@gatehouse/errors";
import type { McpTool } from "@gatehouse/mcp";
import type { ListTools, ToolCatalogueStore } from "../domain/bridge-tool.ts";
import { isOutage } from "../domain/chat-call.ts";

interface Kept {
  readonly tools: readonly McpTool[];
  /** The tools as JSON, for comparison. */
  readonly text: string;
  /** Time of the question to chat. */
  readonly listedAt: Date;
  /** Absent until stored. */
  readonly savedAt: Date | undefined;
}

const dayMs = 86_400_000;
/** Age at which an unchanged list is stored again, so that the store knows which projects are in use. */
const saveAgainAfterMs = dayMs;
/** Time without a list after which a project is deleted. */
const keepMs = 30 * dayMs;
const projectsMax = 10_000;
/** Concurrent writes; further projects are written with their next list. */
const savingMax = 100;

/** A question to chat in progress, and the next one, which all callers meanwhile share. */
interface Asked {
  readonly answer: Promise<readonly McpTool[]>;
  next: Promise<readonly McpTool[]> | undefined;
}

/**
 * Lists the tools of projects. Asks chat after each request, so that the next list shows a change; requests during a question
 * share the next one, which bounds a flood of lists to one query at a time. While chat is unavailable, returns the last known
 * tools.
 */
export class ToolCatalogue {
  readonly #listTools: ListTools;
  readonly #store: ToolCatalogueStore;
  readonly #wallNow: () => number;
  /** Receives errors of the store, without which tools are still listed. */
  readonly #onFailure: (err: unknown) => void;
  readonly #kept = new BoundedCache<string, Kept>(projectsMax);
  readonly #saving = new Map<string, Promise<void>>();
  readonly #asked = new Map<string, Asked>();

  constructor(
    listTools: ListTools,
    store: ToolCatalogueStore,
    wallNow: () => number,
    onFailure: (err: unknown) => void,
  ) {
    this.#listTools = listTools;
    this.#store = store;
    this.#wallNow = wallNow;
    this.#onFailure = onFailure;
  }

  /** @throws GatewayError where chat is unavailable and the project is unknown */
  list(projectUuid: string): Promise<readonly McpTool[]> {
    const asked = this.#asked.get(projectUuid);
    if (asked === undefined) return this.#ask(projectUuid);
    const askAgain = async () => await this.#ask(projectUuid);
    asked.next ??= asked.answer.then(askAgain, askAgain);
    return asked.next;
  }

  #ask(projectUuid: string): Promise<readonly McpTool[]> {
    const asked: Asked = { answer: this.#listNow(projectUuid), next: undefined };
    this.#asked.set(projectUuid, asked);
    const settle = () => {
      if (asked.next === undefined) this.#asked.delete(projectUuid);
    };
    asked.answer.then(settle, settle);
    return asked.answer;
  }

  async #listNow(projectUuid: string): Promise<readonly McpTool[]> {
    const askedAt = new Date(this.#wallNow());
    try {
      const tools = await this.#listTools(projectUuid);
      this.#keep(projectUuid, tools, askedAt);
      return tools;
    } catch (err) {
      if (!isGatewayError(err) || !isOutage(err)) throw err;
      const lastKnown = await this.#recall(projectUuid);
      if (lastKnown === undefined) throw err;
      return lastKnown;
    }
  }

  /** Deletes projects that are no longer listed. */
  async prune(): Promise<void> {
    await this.#store.prune(new Date(this.#wallNow() - keepMs));
  }

  /** Waits for the writes in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#saving.values());
  }

  #keep(projectUuid: string, tools: readonly McpTool[], listedAt: Date): void {
    const text = JSON.stringify(tools);
    const before = this.#kept.get(projectUuid);
    const savedAt = before?.text === text ? before.savedAt : undefined;
    this.#kept.set(projectUuid, { tools, text, listedAt, savedAt });
    if (savedAt !== undefined && listedAt.getTime() - savedAt.getTime() < saveAgainAfterMs) return;
    if (this.#saving.has(projectUuid) || this.#saving.size >= savingMax) return;
    // In the background.
    this.#saving.set(projectUuid, this.#saveLatest(projectUuid));
  }

  /** Stores lists of a project one at a time; the store keeps a newer list of another replica. */
  async #saveLatest(projectUuid: string): Promise<void> {
    try {
      for (let latest = this.#kept.get(projectUuid); latest !== undefined;) {
        const { tools, text, listedAt } = latest;
        const isSaved = await this.#store.save(projectUuid, tools, listedAt);
        const now = this.#kept.get(projectUuid);
        if (now?.text === text && isSaved) this.#kept.set(projectUuid, { ...now, savedAt: listedAt });
        latest = now?.text === text ? undefined : now;
      }
    } catch (err) {
      this.#onFailure(err);
    } finally {
      this.#saving.delete(projectUuid);
    }
  }

  /** Prefers the store, which includes other replicas' lists, over this replica's last list. */
  async #recall(projectUuid: string): Promise<readonly McpTool[] | undefined> {
    try {
      const found = await this.#store.find(projectUuid);
      if (found !== undefined) return found;
    } catch (err) {
      this.#onFailure(err);
    }
    return this.#kept.get(projectUuid)?.tools;
  }
}
