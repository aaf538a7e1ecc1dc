import { GatewayError } from "@gatehouse/errors";
import type { StreamMessage } from "@gatehouse/events";
import type { Part } from "@gatehouse/service";
import { toExportRequest } from "../domain/otlp-records.ts";

/** One export: below the broker's patience for a message, so that it is not given to another replica meanwhile. */
const exportTimeoutMs = 5_000;
/** Statuses by which a collector says that it will never take what was sent; with any other one the entries wait. */
const refusals: ReadonlySet<number> = new Set([400, 413]);

/** Sends the gateway log to a collector by OTLP over HTTP (JSON). */
export class LogExport {
  readonly #url: string;
  #failure: string | undefined;

  /** @param endpoint base address of the collector, such as `http://collector:4318` */
  constructor(endpoint: string) {
    this.#url = `${endpoint.replace(/\/+$/, "")}/v1/logs`;
  }

  /** Says why entries wait, while they do. */
  readonly part: Part = {
    name: "log export",
    notices: () => (this.#failure === undefined ? [] : [`log export: entries wait, since ${this.#failure}`]),
  };

  /**
   * Sends the entries of messages, at once or, where the collector refuses that, message by message.
   * @param since the beginning of the oldest day that is kept
   * @returns the entries' messages, or records, that the collector refuses for good
   * @throws GatewayError `unavailable` while the collector takes nothing: the messages must come again
   */
  async send(messages: readonly StreamMessage[], since: Date): Promise<number> {
    const request = toExportRequest(
      messages.map(({ body }) => body),
      since.getTime(),
    );
    if (request === undefined) return 0;
    const refused = await this.#post(request);
    if (refused !== undefined) return refused;
    if (messages.length === 1) return 1;
    let total = 0;
    for (const message of messages) total += await this.send([message], since);
    return total;
  }

  /** @returns records that were refused; undefined where the whole request was. */
  async #post(request: object): Promise<number | undefined> {
    try {
      const reply = await fetch(this.#url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request),
        redirect: "error",
        signal: AbortSignal.timeout(exportTimeoutMs),
      });
      const text = await reply.text();
      if (refusals.has(reply.status)) return undefined;
      if (!reply.ok) throw new Error(`the collector answers ${reply.status}`);
      this.#failure = undefined;
      return rejectedIn(text);
    } catch (cause) {
      this.#failure = cause instanceof Error && cause.message.startsWith("the collector") ? cause.message : unreached;
      throw new GatewayError("unavailable", "The gateway log's collector takes no entries.", { cause });
    }
  }
}

const unreached = "the collector is not reached";

/** The collector's count of records that it has left out (`partialSuccess`); a reply that says nothing has taken all. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text === "" ? "{}" : text) as PartialReply;
    const rejected = Number(partialSuccess?.rejectedLogRecords ?? 0);
    return Number.isFinite(rejected) ? rejected : 0;
  } catch {
    return 0;
  }
}

interface PartialReply {
  readonly partialSuccess?: { readonly rejectedLogRecords?: number | string };
}
