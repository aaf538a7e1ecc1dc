import { availableParallelism } from "node:os";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { taskModule, WorkerPool } from "@gatehouse/workers";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import { type Inspected, inspectTexts } from "../domain/policy/inspect.ts";
import type { JudgeOptions } from "../domain/policy/judge.ts";
import type { InspectRequest, Verdict } from "../domain/policy/verdict.ts";
import { borderedTexts, seamReach } from "../domain/text/seams.ts";
import type { InspectTaskInput, InspectTaskOutput } from "./inspect-task.ts";
import { KnownTexts } from "./known-texts.ts";
import { policyKeyOf } from "./verdict-records.ts";
import { warmUp } from "./warm-up.ts";

/** UTF-16 units of one request that are judged where they arrive, in about a millisecond; more goes to a thread. */
const inlineUnitsMax = 32 * 1024;
/** Least cost of a text, in units. */
const unitsPerText = 64;
/** Work on the texts of one request; 4 MiB of the worst text known take a third of it. */
const workMsMax = 2_000;
/** Wait for a thread. */
const waitMsMax = 2_500;
/** Requests that wait for a thread; a quarter of them may be one project's. */
const queuedMax = 64;
const threadMemoryMibMax = 768;
const threadsMax = 4;

interface InspectorOptions {
  /** Texts, findings and masks that are remembered; see {@link KnownTexts}. */
  readonly knownTextsMax: number;
  /** Bounds and threads other than the product's, for tests. */
  readonly workMsMax?: number;
  readonly threads?: number;
}

/**
 * Judges texts without holding up the event loop: short ones at once, long ones on a thread whose deadline ends the work
 * itself. Each thread compiles a policy once and keeps it.
 */
export class Inspector {
  readonly #pool: WorkerPool<InspectTaskInput, InspectTaskOutput>;
  readonly #workMsMax: number;
  readonly #known: KnownTexts;

  constructor({ knownTextsMax, workMsMax: deadlineMs = workMsMax, threads = threadCount() }: InspectorOptions) {
    this.#workMsMax = deadlineMs;
    this.#known = new KnownTexts(knownTextsMax);
    this.#pool = new WorkerPool({
      name: "guardrails",
      module: taskModule(import.meta.url, "./inspect-task"),
      threadsMax: threads,
      memoryMibMax: threadMemoryMibMax,
      queuedMax,
      waitMsMax,
    });
  }

  /**
   * Builds the tables of the checks, here and on a first thread, so that no call waits for them: a thread starts in a second or, on
   * a busy machine, in more than a question may take.
   */
  prepare(): void {
    warmUp();
    this.#pool.prepare();
  }

  /**
   * Answers without a promise for short texts, and for those that are known from earlier calls.
   * @throws GatewayError as `inspect` does; `guardrail_blocked` for texts that take too long to judge; `rate_limited` where
   * too many long texts wait. Never `unavailable`: a caller must not be able to make a policy's `on_unavailable` decide.
   */
  inspect(policy: CompiledPolicy, request: InspectRequest, options: JudgeOptions): Verdict | Promise<Verdict> {
    // Short texts announce long ones.
    this.#pool.prepare();
    const digests = this.#known.digestsOf(policy, request, options.project);
    if (digests.size === 0 && isShort(request)) return inspectTexts(policy, request).verdict;
    const asked = this.#known.ask(request, digests);
    const settle = ({ verdict, outcomes }: Inspected): Verdict => {
      this.#known.remember(digests, outcomes);
      return verdict;
    };
    if (isShort(asked)) return settle(inspectTexts(policy, asked));
    return this.#inspectOnThread(policy, asked, options).then(settle);
  }

  close(): void {
    this.#pool.close();
  }

  async #inspectOnThread(
    { document }: CompiledPolicy,
    request: InspectRequest,
    { project, tenant = project, call }: JudgeOptions,
  ): Promise<Inspected> {
    const input: InspectTaskInput = { policyKey: policyKeyOf(document), request: forThread(request) };
    const options = { tenant, deadlineMs: this.#workMsMax, ...(call && { signal: call.signal }) };
    try {
      let output = await this.#pool.run(input, options);
      // The next task may land on another thread, so it brings the policy whatever the first one knows by now.
      if (output.kind === "unknown_policy") output = await this.#pool.run({ ...input, document }, options);
      if (output.kind === "unknown_policy") throw new Error("A thread did not take the policy it was given.");
      return output.inspected;
    } catch (err) {
      throw refusalOf(err);
    }
  }
}

function isShort({ texts, known }: InspectRequest): boolean {
  let units = texts.length * unitsPerText;
  if (units > inlineUnitsMax) return false;
  const bordered = known === undefined ? undefined : borderedTexts(texts);
  for (const [index, { text }] of texts.entries()) {
    // Its border with the text before is read each time, for what is broken over both.
    const knownUnits = bordered?.has(index) === true ? 2 * seamReach : 0;
    units += known?.has(index) === true ? knownUnits : text.length;
    if (units > inlineUnitsMax) return false;
  }
  return true;
}

/** A context may be an object of the caller's whose members are accessors, which do not reach a thread. */
function forThread(request: InspectRequest): InspectRequest {
  if (request.context === undefined) return request;
  const { tokenId, surface, models, headers, samplePoint, requestId } = request.context;
  return { ...request, context: { tokenId, surface, models, headers, samplePoint, requestId } };
}

/** A failure caused by the amount or kind of text is the caller's to fix. */
function refusalOf(err: unknown): unknown {
  if (!isGatewayError(err)) return err;
  const { code, retryAfterSeconds = 1 } = err;
  if (code === "deadline_exceeded") {
    const message = "Request blocked: its texts take too long to judge. Send less at once.";
    return new GatewayError("guardrail_blocked", message, { cause: err });
  }
  if (code !== "unavailable") return err;
  const message = "Too many long requests wait to be judged. Try again shortly.";
  return new GatewayError("rate_limited", message, { cause: err, retryAfterSeconds });
}

/** One core is left to the event loop. */
function threadCount(): number {
  return Math.min(threadsMax, Math.max(1, availableParallelism() - 1));
}
