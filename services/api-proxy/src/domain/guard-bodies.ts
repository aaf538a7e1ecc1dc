import type { TokenPrincipal } from "@gatehouse/principal";
import { GatewayError } from "@gatehouse/errors";
import {
  type GuardrailAnswer,
  type GuardrailBlock,
  type GuardrailClient,
  type GuardrailQuestion,
  type Judgement,
  type Masking,
  maskSegmentsInSteps,
  samplePointOf,
  type Segment,
  toUnitsInSteps,
} from "@gatehouse/guardrail-client";
import { runAtOnce, runSized } from "@gatehouse/pace";
import type { Logger } from "@gatehouse/telemetry";
import { type ReadableBody, readBodyTextsInSteps, UnreadableBody } from "./readable-body.ts";

/** A request whose body a policy may cover, as the log and the audit log name it. */
export interface GuardedRequest {
  readonly principal: TokenPrincipal;
  readonly endpoint: { readonly uuid: string; readonly slug: string };
  readonly requestId: string;
  readonly ipAddress: string;
  /** Empty where nothing is traced. */
  readonly traceparent: string;
}

/** Bytes of a body that is judged, decompressed. More is refused under a policy. */
export const judgedBodyBytesMax = 4 * 1024 * 1024;

/** Bodies that are held for a policy at once, until their replies are over: of one project, and of all. */
const heldBounds = { ofProject: 16, ofAll: 64 };

export interface BodyGuardOptions {
  readonly client: Pick<GuardrailClient, "inspect">;
  /** Resolves when the audit event is kept, or soon where that is not possible now. Never rejects. */
  readonly noteBlocked: (request: GuardedRequest, block: GuardrailBlock) => Promise<void>;
  readonly log: Logger;
}

/** Holds request bodies against the policy of their endpoint, where it covers the API Gateway. What goes on is what was judged. */
export class BodyGuard {
  readonly #options: BodyGuardOptions;
  /** Projects whose bodies are held, each as often as it has one. */
  readonly #held = new Map<string, number>();
  #heldOfAll = 0;

  constructor(options: BodyGuardOptions) {
    this.#options = options;
  }

  /**
   * Whether a policy covers the request, so that its body has to be read whole. Its address is judged here.
   * @throws GatewayError as {@link judge}; `guardrail_blocked` also for an address of which something would have to be masked.
   */
  covers(
    request: GuardedRequest,
    { address, signal }: { readonly address: readonly Segment[]; readonly signal: AbortSignal },
  ): boolean | Promise<boolean> {
    const texts = () => runAtOnce(toUnitsInSteps(address));
    const answer = this.#options.client.inspect(questionOf(request, { texts, signal }));
    if (answer instanceof Promise) return answer.then(async (late) => await this.#passesAddress(late, request));
    return answer.kind === "no_policy" ? false : this.#passesAddress(answer, request);
  }

  async #passesAddress(answer: GuardrailAnswer, request: GuardedRequest): Promise<boolean> {
    const judgement = await this.#settle(answer, request);
    if (judgement?.maskedTexts === undefined) return judgement !== undefined;
    throw unreadable("no personal data may stand in a path or query, where it cannot be masked");
  }

  /**
   * Makes room for a body that is read whole.
   * @returns what gives the room back; called once.
   * @throws GatewayError `too_many_requests` where the project holds too many, `unavailable` where all together do.
   */
  hold({ principal }: GuardedRequest): () => void {
    const { uuid } = principal.project;
    const count = this.#held.get(uuid) ?? 0;
    if (count >= heldBounds.ofProject) throw tooManyHeld("too_many_requests", heldBounds.ofProject);
    if (this.#heldOfAll >= heldBounds.ofAll) throw tooManyHeld("unavailable", heldBounds.ofAll);
    this.#heldOfAll += 1;
    this.#held.set(uuid, count + 1);
    return () => {
      this.#heldOfAll -= 1;
      const left = (this.#held.get(uuid) ?? 1) - 1;
      if (left === 0) this.#held.delete(uuid);
      else this.#held.set(uuid, left);
    };
  }

  /**
   * @returns the body as it may go on.
   * @throws GatewayError `guardrail_blocked`, also for a body that cannot be judged; `unavailable` where the guardrails cannot be
   * reached and the policy does not say that requests go on.
   */
  async judge(body: Buffer, request: GuardedRequest, { contentType, signal }: JudgedParts): Promise<Buffer> {
    const readable = await readOrRefuse(body, contentType);
    const texts = () => runSized(toUnitsInSteps(readable.segments), body.length);
    const answer = await this.#options.client.inspect(questionOf(request, { texts, signal }));
    const judgement = await this.#settle(answer, request);
    if (judgement?.maskedTexts === undefined) return body;
    const { maskedTexts, maskedSpans: spans } = judgement;
    return await runSized(replaceMasked(readable, { texts: maskedTexts, spans }), body.length);
  }

  async #settle(answer: GuardrailAnswer, request: GuardedRequest): Promise<Judgement | undefined> {
    const { log, noteBlocked } = this.#options;
    const fields = { request_id: request.requestId, project: request.principal.project.uuid };
    if (answer.kind === "no_policy") return undefined;
    if (answer.kind === "unavailable") {
      if (answer.mayPass) {
        log.warn({ ...fields, err: answer.cause }, "The guardrails did not answer; a request went on.");
        return undefined;
      }
      const message = "The guardrails of this endpoint cannot be reached. Try again shortly.";
      throw new GatewayError("unavailable", message, { cause: answer.cause, retryAfterSeconds: 1 });
    }
    if (answer.unasked !== undefined) {
      log.warn({ ...fields, err: answer.unasked }, "External guardrails were not asked; a request went on.");
    }
    if (answer.block !== undefined) {
      log.info({ ...fields, detector: answer.block.detector }, "A guardrail has blocked a request body.");
      await noteBlocked(request, answer.block);
      throw new GatewayError("guardrail_blocked", answer.block.message);
    }
    const detectors = [...new Set(answer.findings.map(({ detector }) => detector))];
    if (detectors.length > 0) log.info({ ...fields, detectors }, "Guardrails have findings in a request body.");
    return answer;
  }
}

function tooManyHeld(code: "too_many_requests" | "unavailable", bound: number): GatewayError {
  const message = `Too much at once: ${bound} request bodies are held for guardrails. Wait until others have finished.`;
  return new GatewayError(code, message, { retryAfterSeconds: 1 });
}

export interface JudgedParts {
  readonly contentType: string | undefined;
  readonly signal: AbortSignal;
}

function questionOf(request: GuardedRequest, asked: Pick<GuardrailQuestion, "texts" | "signal">): GuardrailQuestion {
  const { principal, endpoint, traceparent, requestId } = request;
  return {
    ...asked,
    projectUuid: principal.project.uuid,
    endpointUuid: endpoint.uuid,
    surface: "api",
    side: "input",
    context: () => ({
      tokenId: principal.tokenId,
      surface: "api",
      models: [],
      headers: {},
      samplePoint: samplePointOf(requestId),
      requestId,
    }),
    traceparent: traceparent === "" ? undefined : traceparent,
  };
}

function* replaceMasked(readable: ReadableBody, masking: Masking): Generator<void, Buffer> {
  return yield* readable.replace(yield* maskSegmentsInSteps(readable.segments, masking));
}

async function readOrRefuse(body: Buffer, contentType: string | undefined): Promise<ReadableBody> {
  try {
    return await runSized(readBodyTextsInSteps(body, contentType), body.length);
  } catch (err) {
    if (!(err instanceof UnreadableBody)) throw err;
    throw unreadable(`the body ${err.message}`);
  }
}

/** The refusal for what cannot be judged, under a policy. */
export function unreadable(problem: string): GatewayError {
  return new GatewayError("guardrail_blocked", `Request blocked: under this endpoint's guardrails ${problem}.`);
}
