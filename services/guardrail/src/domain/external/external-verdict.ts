import type { InspectedText } from "../policy/verdict.ts";
import type { NumberMask } from "../text/json-masks.ts";
import type { ExternalDocument, ExternalKind } from "./external-document.ts";

/** The verdict of a guardrail elsewhere on the texts. */
export type ExternalVerdict =
  | { readonly action: "allow" }
  | { readonly action: "block"; readonly message?: string }
  /** Texts to be put in place of those that were sent, by their indexes. */
  | { readonly action: "replace"; readonly texts: ReadonlyMap<number, string> };

/** Verdict of a guardrail that found nothing. */
export const allowed: ExternalVerdict = { action: "allow" };

/** The request that a guardrail is asked by. */
export interface ExternalRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The texts of a question, and their side. */
export interface ExternalTexts {
  readonly side: "input" | "output";
  readonly texts: readonly InspectedText[];
  /** Gives a mask the number of its value, where masks are reversible. */
  readonly numberMask?: NumberMask;
}

/** A reply, or a secret, that is not of the form that its kind has. The message is for the operator's log, and holds nothing of either. */
export class ExternalReplyProblem extends Error {
  override readonly name = "ExternalReplyProblem";
}

/** One way to speak to a guardrail. */
export interface ExternalAdapter {
  readonly request: (asked: AskedExternal) => ExternalRequest;
  /** @throws ExternalReplyProblem */
  readonly read: (reply: unknown, asked: Pick<AskedExternal, "external" | "texts" | "numberMask">) => ExternalVerdict;
}

/** A question to one guardrail elsewhere, before its adapter has put it into words. */
export interface AskedExternal extends ExternalTexts {
  readonly external: ExternalDocument;
  /** Id of the question; a guardrail can tell repetitions by it. */
  readonly id: string;
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly timestampSeconds: number;
  readonly secret: string | undefined;
}

/** Whether texts have anything to judge: characters other than blanks or, for kind `http`, the name of a tool. */
export function hasContent(kind: ExternalKind, texts: readonly InspectedText[]): boolean {
  return texts.some(({ text, tool = "" }) => /\S/u.test(text) || (kind === "http" && tool !== ""));
}
