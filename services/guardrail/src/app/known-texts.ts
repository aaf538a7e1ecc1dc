import { hash } from "node:crypto";
import { BoundedCache, digestUnitsMin, textDigest } from "@gatehouse/bounded-cache";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";
import { activeChecks } from "../domain/policy/inspect.ts";
import { foundIn } from "../domain/policy/outcome-record.ts";
import {
  type InspectedText,
  type InspectRequest,
  outcomesFoundMax,
  type TextOutcome,
} from "../domain/policy/verdict.ts";
import { policyKeyOf } from "./verdict-records.ts";

/** Texts of one request that can be known, its first ones; their digests take some 5 ms of the event loop. */
const digestsMax = 2_048;

/** Digests of a request's texts that are long enough, by the index of the text. */
type TextDigests = ReadonlyMap<number, string>;

/**
 * Memory of what a policy found in texts, so that a conversation's earlier turns, its documents and its instructions are judged
 * once and not with every call that repeats them. A text counts as known only under the same content of the policy, for the same
 * project, side, role, tool and rules in force. Holds digests and places, never texts; those not used for longest go first.
 */
export class KnownTexts {
  readonly #sizeMax: number;
  readonly #outcomes: BoundedCache<string, TextOutcome>;

  /** @param sizeMax - Texts, findings and masks remembered together, some 300 bytes each; 0 remembers none. */
  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
    this.#outcomes = new BoundedCache(Math.max(1, sizeMax), { sizeOf: (outcome) => 1 + foundIn(outcome) });
  }

  /** Digests of the texts that can be known or remembered. Answers are left out: each is new; whole values are judged otherwise. */
  digestsOf(policy: CompiledPolicy, request: InspectRequest, project: string): TextDigests {
    if (this.#sizeMax === 0 || request.side === "output" || request.areDocuments === true) return noDigests;
    // Most requests are short, and need no scope then.
    if (!request.texts.some(isLongEnough)) return noDigests;
    const digests = new Map<number, string>();
    const rules = activeChecks(policy, request).map(({ ruleIndex }) => ruleIndex);
    const common = [project, policyKeyOf(policy.document), request.side, rules];
    const scopes = new Map<string, string>();
    for (const [index, entry] of request.texts.entries()) {
      if (digests.size >= digestsMax) break;
      const digest = textDigest(entry.text);
      if (digest === undefined) continue;
      const place = placeOf(entry);
      const scope = scopes.get(place) ?? hash("sha256", JSON.stringify([...common, place]), "base64url");
      scopes.set(place, scope);
      digests.set(index, scope + digest);
    }
    return digests;
  }

  /**
   * Adds the known findings of a request's texts, and asks for those of the others. With more findings than a thread takes, the last
   * texts are judged.
   */
  ask(request: InspectRequest, digests: TextDigests): InspectRequest {
    if (digests.size === 0) return request;
    const known = new Map<number, TextOutcome>();
    const wanted = new Set<number>();
    let found = 0;
    for (const [index, digest] of digests) {
      const outcome = this.#outcomes.get(digest);
      if (outcome === undefined) {
        wanted.add(index);
        continue;
      }
      found += foundIn(outcome);
      if (found <= outcomesFoundMax) known.set(index, outcome);
    }
    return { ...request, known, wanted };
  }

  remember(digests: TextDigests, outcomes: ReadonlyMap<number, TextOutcome>): void {
    for (const [index, outcome] of outcomes) {
      const digest = digests.get(index);
      if (digest !== undefined) this.#outcomes.set(digest, outcome);
    }
  }
}

const noDigests: TextDigests = new Map();

function isLongEnough({ text }: InspectedText): boolean {
  return text.length >= digestUnitsMin;
}

/** Everything about a text but its letters. */
function placeOf({ text: _text, ...place }: InspectedText): string {
  return JSON.stringify(place);
}
