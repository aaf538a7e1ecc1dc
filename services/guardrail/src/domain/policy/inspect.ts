import { detectInjection, type InjectionResult } from "../injection/detect.ts";
import { findKeywords } from "../keywords/keywords.ts";
import { piiEntities, type PiiEntity, piiLabels } from "../pii/entity.ts";
import { findPii, maskText } from "../pii/find-pii.ts";
import { readingText, toSourceSpan } from "../text/reading.ts";
import { readText, type Readings } from "../text/readings.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { recentTurns } from "./recent-turns.ts";
import type { Detector, Finding, InspectRequest, Verdict } from "./verdict.ts";

/** Longer texts report an administrator's pattern as a whole instead of searching for the place. */
const locateLengthMax = 16_384;

interface Inspection {
  readonly policy: CompiledPolicy;
  readonly request: InspectRequest;
  readonly readings: readonly Readings[];
  readonly findings: Finding[];
}

interface Block {
  readonly reason: Detector;
  readonly message: string;
}

/**
 * Runs the checks of a policy in their fixed order: content length, keywords and own patterns, personal data, prompt
 * injection. The first block decides the message. Length and injection are questions about input only; on the output
 * side nothing runs unless the policy asks for it. Pure and synchronous; linear in the texts.
 */
export function inspect(policy: CompiledPolicy, request: InspectRequest): Verdict {
  if (request.side === "output" && !policy.document.apply_to_output) return { blocked: false, findings: [] };
  const tooLong = request.side === "input" ? checkLength(policy, request) : undefined;
  if (tooLong !== undefined) return tooLong;
  const readings = request.texts.map(({ text }) => readText(text, policy.model.letterPairs));
  const inspection: Inspection = { policy, request, readings, findings: [] };
  let block: Block | undefined;
  for (const check of [checkKeywords, checkPatterns, checkPii, checkInjection]) {
    const found = check(inspection);
    block ??= found;
    if (block !== undefined && request.exhaustive !== true) break;
  }
  const verdict = block === undefined ? { blocked: false } : { blocked: true, ...block };
  return { ...verdict, findings: inspection.findings, ...maskedTexts(inspection) };
}

function checkLength(policy: CompiledPolicy, request: InspectRequest): Verdict | undefined {
  const limit = policy.document.max_content_length;
  if (limit === undefined) return undefined;
  const length = request.texts.reduce((total, { text }) => total + codePointCount(text), 0);
  if (length <= limit) return undefined;
  const end = request.texts.at(-1)?.text.length ?? 0;
  return {
    blocked: true,
    reason: "content_length",
    message: `Request blocked: content length ${length} exceeds maximum ${limit}.`,
    findings: [
      {
        detector: "content_length",
        label: "Content length",
        start: 0,
        end,
        textIndex: Math.max(0, request.texts.length - 1),
      },
    ],
  };
}

/** Unicode code points: a surrogate pair is one. */
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

function checkKeywords({ policy, request, readings, findings }: Inspection): Block | undefined {
  const before = findings.length;
  for (const [textIndex, reading] of readings.entries()) {
    for (const { keyword, start, end } of findKeywords(reading, policy.keywords)) {
      findings.push({ detector: "keyword", label: keyword, start, end, textIndex });
    }
  }
  const first = findings[before];
  return (
    first && { reason: "keyword", message: `Request blocked: keyword '${first.label}' detected in ${request.side}.` }
  );
}

function checkPatterns({ policy, request, readings, findings }: Inspection): Block | undefined {
  const { patterns } = policy;
  if (patterns === undefined) return undefined;
  let block: Block | undefined;
  for (const [textIndex, { canonical }] of readings.entries()) {
    const text = readingText(canonical);
    for (const index of patterns.set.match(text)) {
      const document = patterns.documents[index];
      const matcher = text.length <= locateLengthMax ? patterns.single[index]?.matcher(text) : undefined;
      const found = matcher?.find() === true;
      const span = toSourceSpan(canonical, found ? matcher.start() : 0, found ? matcher.end() : text.length);
      if (document === undefined) continue;
      findings.push({ detector: "pattern", label: document.name, ...span, textIndex });
      if (document.mode === "block") {
        block ??= {
          reason: "pattern",
          message: `Request blocked: keyword '${document.name}' detected in ${request.side}.`,
        };
      }
    }
  }
  return block;
}

function checkPii({ policy, request, readings, findings }: Inspection): Block | undefined {
  const { mode } = policy.document.pii;
  if (mode === "off") return undefined;
  const seen = new Set<PiiEntity>();
  for (const [textIndex, reading] of readings.entries()) {
    for (const { entity, start, end } of findPii(reading, policy.pii)) {
      findings.push({ detector: "pii", label: piiLabels[entity], entity, start, end, textIndex });
      seen.add(entity);
    }
  }
  const gravest = piiEntities.find((entity) => seen.has(entity));
  if (mode !== "block" || gravest === undefined) return undefined;
  return { reason: "pii", message: `Request blocked: ${piiLabels[gravest]} detected in ${request.side}.` };
}

function checkInjection({ policy, request, readings, findings }: Inspection): Block | undefined {
  const { mode, threshold } = policy.document.prompt_injection;
  if (mode === "off" || request.side === "output") return undefined;
  const line = policy.model.thresholds[threshold];
  let hit = false;
  for (const [textIndex, reading] of readings.entries()) {
    // The operator's own instructions read like commands to a model because they are.
    if (request.texts[textIndex]?.role === "system" || request.texts[textIndex]?.role === "developer") continue;
    hit = judge(detectInjection(reading, policy.model), { line, textIndex, findings, mode }) || hit;
  }
  const joined = recentTurns(request.texts);
  if (joined !== undefined && !hit) {
    const result = detectInjection(readText(joined.text, policy.model.letterPairs), policy.model);
    const length = request.texts[joined.textIndex]?.text.length ?? 0;
    hit = judge(
      { ...result, explain: () => ({ ...result.explain(), span: { start: 0, end: length } }) },
      { line, textIndex: joined.textIndex, findings, mode },
    );
  }
  return hit && mode === "block"
    ? { reason: "prompt_injection", message: "Request blocked: prompt injection pattern detected." }
    : undefined;
}

interface Judgement {
  readonly line: number;
  readonly textIndex: number;
  readonly findings: Finding[];
  readonly mode: string;
}

/** Records a hit, and in log mode every score, so that a threshold can be tried on real traffic first. */
function judge(result: InjectionResult, { line, textIndex, findings, mode }: Judgement): boolean {
  const hit = result.logit > line || result.patterns.length > 0;
  if (hit || mode === "log") {
    const { span, ideas } = result.explain();
    findings.push({
      detector: "prompt_injection",
      label: "Prompt injection",
      ...span,
      textIndex,
      score: 1 / (1 + Math.exp(-result.logit)),
      because: [...result.patterns, ...ideas],
    });
  }
  return hit;
}

function maskedTexts({ policy, readings, findings }: Inspection): { maskedTexts?: readonly string[] } {
  if (policy.document.pii.mode !== "mask" || !findings.some(({ detector }) => detector === "pii")) return {};
  return {
    maskedTexts: readings.map(({ source }, textIndex) =>
      maskText(
        source,
        findings.filter((finding) => finding.textIndex === textIndex),
      ),
    ),
  };
}
