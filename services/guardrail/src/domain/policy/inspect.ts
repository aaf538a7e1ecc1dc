import { maskText } from "../pii/find-pii.ts";
import { readText } from "../text/readings.ts";
import { Scratch } from "../text/scratch.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { type Block, checkInjection, checkKeywords, checkPatterns, checkPii, type Subject } from "./checks.ts";
import { recentTurns } from "./recent-turns.ts";
import type { Finding, InspectRequest, Verdict } from "./verdict.ts";

/** In the order in which a block wins: a keyword in the last text is named before personal data in the first. */
const checks = [checkKeywords, checkPatterns, checkPii, checkInjection];

/** Reading is synchronous and one text is done before the next, so one scratch serves the process. */
const scratch = new Scratch();

/**
 * Runs the checks of a policy in their fixed order: content length, keywords and own patterns, personal data, prompt
 * injection. The first block decides the message. Length and injection are questions about input only; on the output
 * side nothing runs unless the policy asks for it. Pure and synchronous; linear in the texts.
 */
export function inspect(policy: CompiledPolicy, request: InspectRequest): Verdict {
  if (request.side === "output" && !policy.document.apply_to_output) return { blocked: false, findings: [] };
  const tooLong = request.side === "input" ? checkLength(policy, request) : undefined;
  if (tooLong !== undefined) return tooLong;
  const findings: Finding[] = [];
  const blocks: (Block | undefined)[] = checks.map(() => undefined);
  for (const textIndex of request.texts.keys()) inspectText({ policy, request, textIndex, findings }, blocks);
  const block = blocks.find((candidate) => candidate !== undefined);
  const verdict = block === undefined ? { blocked: false } : { blocked: true, ...block };
  return { ...verdict, findings, ...maskedTexts(policy, request, findings) };
}

interface TextInspection {
  readonly policy: CompiledPolicy;
  readonly request: InspectRequest;
  readonly textIndex: number;
  readonly findings: Finding[];
}

/** Runs the checks that could still decide on one text, and keeps the first block of each. */
function inspectText(inspection: TextInspection, blocks: (Block | undefined)[]): void {
  const { policy, request, textIndex } = inspection;
  const entry = request.texts[textIndex];
  if (entry === undefined) return;
  const readings = readText(entry.text, policy.model.letterStatistics, scratch);
  const subject: Subject = { ...inspection, role: entry.role, side: request.side, readings, scratch };
  for (const [rank, check] of checks.entries()) {
    const isDecided = blocks.slice(0, rank).some((block) => block !== undefined);
    if (isDecided && request.exhaustive !== true) return;
    blocks[rank] ??= check(subject);
  }
  const last = checks.length - 1;
  if (textIndex < request.texts.length - 1 || blocks[last] !== undefined || request.side === "output") return;
  const turns = recentTurns(request.texts);
  if (turns === undefined) return;
  const joined = readText(turns.text, policy.model.letterStatistics, scratch);
  blocks[last] = checkInjection({
    ...subject,
    textIndex: turns.textIndex,
    role: "user",
    readings: joined,
    lastLength: request.texts[turns.textIndex]?.text.length ?? 0,
  });
}

function checkLength(policy: CompiledPolicy, request: InspectRequest): Verdict | undefined {
  const limit = policy.document.max_content_length;
  if (limit === undefined) return undefined;
  const length = request.texts.reduce((total, { text }) => total + codePointCount(text), 0);
  if (length <= limit) return undefined;
  const textIndex = Math.max(0, request.texts.length - 1);
  const end = request.texts[textIndex]?.text.length ?? 0;
  return {
    blocked: true,
    reason: "content_length",
    message: `Request blocked: content length ${length} exceeds maximum ${limit}.`,
    findings: [{ detector: "content_length", label: "Content length", start: 0, end, textIndex }],
  };
}

/** Unicode code points: a surrogate pair is one, a lone surrogate too. */
export function codePointCount(text: string): number {
  let count = text.length;
  if (!/[\ud800-\udbff]/.test(text)) return count;
  for (let index = 1; index < text.length; index += 1) {
    const isLow = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

function maskedTexts(
  policy: CompiledPolicy,
  request: InspectRequest,
  findings: readonly Finding[],
): { maskedTexts?: readonly string[] } {
  if (policy.document.pii.mode !== "mask" || !findings.some(({ detector }) => detector === "pii")) return {};
  const spansOf = (textIndex: number): readonly Finding[] =>
    findings.filter((finding) => finding.textIndex === textIndex);
  return { maskedTexts: request.texts.map(({ text }, textIndex) => maskText(text, spansOf(textIndex))) };
}
