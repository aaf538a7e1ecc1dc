import { BoundedCache } from "@gatehouse/bounded-cache";
import { isGatewayError } from "@gatehouse/errors";
import type { McpTool } from "@gatehouse/mcp";
import type { ListTools, ToolCatalogueStore } from "../domain/bridge-tool.ts";
import { isOutage } from "../domain/chat-call.ts";

interface Kept {
  readonly tools: readonly McpTool[];
  /** The tools as JSON, to tell a change by. */
  readonly text: string;
  /** Time at which chat was asked. */
  readonly listedAt: Date;
  /** Absent until it has been written. */
  readonly savedAt: Date | undefined;
}

const dayMs = 86_400_000;
/** A list that has not changed is written again after this, so that the store knows which projects are in use. */
const saveAgainAfterMs = dayMs;
/** A project that has not been listed for this long is forgotten. */
const keepMs = 30 * dayMs;
const projectsMax = 10_000;
/** Projects that are being written at a time; one more is written with its next list. */
const savingMax = 100;

/** A question to chat that is under way, and the one behind it, which all who come meanwhile share. */
interface Asked {
  readonly answer: Promise<readonly McpTool[]>;
  next: Promise<readonly McpTool[]> | undefined;
}

/**
 * The tools of projects. A list is asked of chat after it was asked for here, so a change shows in the very next one; those that come
 * while chat is being asked share one question, so that a flood of lists is one query at a time. While chat is away, the tools that it
 * listed last are listed.
 */
export class ToolCatalogue {
  readonly #listTools: ListTools;
  readonly #store: ToolCatalogueStore;
  readonly #wallNow: () => number;
  /** Called with the store's error; tools are listed without the store then. */
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

  /** @throws GatewayError where chat is away and nothing is known of the project. */
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

  /** Forgets projects that are not listed any more. */
  async prune(): Promise<void> {
    await this.#store.prune(new Date(this.#wallNow() - keepMs));
  }

  /** Waits for the writes under way. */
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
    // No caller waits for the write.
    this.#saving.set(projectUuid, this.#saveLatest(projectUuid));
  }

  /** Writes one list of a project at a time; the store keeps a newer one that another replica has written meanwhile. */
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

  /** The store knows what other replicas have seen; what this one has seen is better than nothing. */
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
