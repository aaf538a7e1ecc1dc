import { GatewayError } from "@gatehouse/errors";
import type { StreamMessage } from "@gatehouse/events";
import { type Collector, parseCollectorHeaders } from "../domain/collector.ts";
import { toExportRequest } from "../domain/otlp-records.ts";

/**
 * One {@link LogExport.send} with all its posts. With the pause before the next attempt (5 s at most) it is below the broker's
 * patience for a message (`ackWaitMs`, 10 s), so that no other replica gets the message meanwhile.
 */
const sendTimeoutMs = 3_000;
/** More of a reply is not read: one that counts its refusals has some hundred bytes. */
const replyBytesMax = 64 * 1024;
/** Messages remembered as acknowledged; more than a consumer holds at once. */
const acknowledgedMax = 1_024;
/** Statuses by which a collector says that it will never take what was sent; with any other one the entries wait. */
const refusals: ReadonlySet<number> = new Set([400, 413]);

/** Sends the gateway log to a collector by OTLP over HTTP (JSON). */
export class LogExport {
  readonly #url: string;
  readonly #collector: Collector;
  readonly #onRefused: (count: number) => void;
  /** Messages taken, or refused, of batches that are not through: not sent again with the rest. */
  readonly #acknowledged = new Set<string>();
  #failure: string | undefined;

  /** @param onRefused takes the number of messages, or records, that the collector has refused permanently */
  constructor(collector: Collector, onRefused: (count: number) => void) {
    this.#collector = collector;
    this.#onRefused = onRefused;
    this.#url = `${collector.endpoint.replace(/\/+$/, "")}/v1/logs`;
  }

  /** Why the collector takes nothing now; undefined where it does. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /**
   * Sends the entries of messages, at once or, where the collector refuses that, message by message, within one deadline.
   * @param since the beginning of the oldest day that is kept
   * @throws GatewayError `unavailable` while the collector takes nothing: the messages must come again
   */
  async send(messages: readonly StreamMessage[], since: Date): Promise<void> {
    const deadline = AbortSignal.timeout(sendTimeoutMs);
    const open = messages.filter(({ id }) => !this.#acknowledged.has(id));
    if (!(await this.#post(open, since, deadline))) {
      for (const message of open) {
        const isTaken = open.length > 1 && (await this.#post([message], since, deadline));
        if (!isTaken) this.#onRefused(1);
        this.#acknowledge(message);
      }
    }
    for (const { id } of messages) this.#acknowledged.delete(id);
  }

  #acknowledge({ id }: StreamMessage): void {
    this.#acknowledged.add(id);
    const [oldest] = this.#acknowledged;
    if (this.#acknowledged.size > acknowledgedMax && oldest !== undefined) this.#acknowledged.delete(oldest);
  }

  /** @returns whether the collector has taken the messages; false where it never will. */
  async #post(messages: readonly StreamMessage[], since: Date, deadline: AbortSignal): Promise<boolean> {
    const bodies = messages.map(({ body }) => body);
    const request = toExportRequest(bodies, since.getTime());
    if (request === undefined) return true;
    try {
      const reply = await fetch(this.#url, {
        method: "POST",
        headers: [...this.#headers(), ["content-type", "application/json"]],
        body: JSON.stringify(request),
        redirect: "error",
        signal: deadline,
      });
      if (!reply.ok) await reply.body?.cancel();
      if (!reply.ok && !refusals.has(reply.status)) throw new CollectorError(reply.status);
      const rejected = reply.ok ? rejectedIn(await readText(reply)) : 0;
      if (rejected > 0) this.#onRefused(rejected);
      this.#failure = undefined;
      return reply.ok;
    } catch (cause) {
      this.#failure = cause instanceof CollectorError ? cause.message : "the collector cannot be reached";
      throw new GatewayError("unavailable", "The gateway log's collector takes no entries.", { cause });
    }
  }

  #headers(): [string, string][] {
    const headers = parseCollectorHeaders(this.#collector.headers?.reveal() ?? "") ?? [];
    return headers.map(([name, value]) => [name, value]);
  }
}

class CollectorError extends Error {
  constructor(status: number) {
    super(`the collector answers ${status}`);
  }
}

/** The reply's text; none where it is longer than {@link replyBytesMax}. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > replyBytesMax) return "";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The collector's count of records that it has left out (`partialSuccess`); a reply that says nothing has taken all. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text === "" ? "{}" : text) as PartialReply;
    const rejected = Number(partialSuccess?.rejectedLogRecords ?? 0);
    return Number.isFinite(rejected) ? Math.max(rejected, 0) : 0;
  } catch {
    return 0;
  }
}

interface PartialReply {
  readonly partialSuccess?: { readonly rejectedLogRecords?: number | string };
}
