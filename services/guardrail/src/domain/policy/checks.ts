import { detectInjection, type InjectionExplanation, isDataRole } from "../injection/detect.ts";
import { findKeywords } from "../keywords/keywords.ts";
import { type PiiEntity, piiEntities, piiLabels } from "../pii/entity.ts";
import { findPii } from "../pii/find-pii.ts";
import { secretLabelOf } from "../secrets/compile-formats.ts";
import { findSecretSpans } from "../secrets/find-secrets.ts";
import type { MaskSpan } from "../text/mask-text.ts";
import { readingText, toSourceSpan } from "../text/reading.ts";
import { readCanonical, readText, type Readings } from "../text/readings.ts";
import type { ScratchBuffers } from "../text/scratch-buffers.ts";
import { seamsOf } from "../text/seams.ts";
import { brokenValues, type TextSpan } from "./broken-values.ts";
import type { CompiledPattern, CompiledPolicy } from "./compile-policy.ts";
import { parseJsonTexts } from "./json-texts.ts";
import { type PatternDocument, piiActionOf } from "./policy-document.ts";
import { recentTurns } from "./recent-turns.ts";
import type { Block, Finding, InspectedText, Side } from "./verdict.ts";
import { blockedBy, blockOfPattern, fits } from "./whole-patterns.ts";

/** Longer texts report an administrator's pattern as a whole instead of searching for the place. */
const locateLengthMax = 16_384;

/** One text under inspection. Checks report findings and return a block when the policy's mode asks for one. */
export interface Subject {
  readonly policy: CompiledPolicy;
  readonly readings: Readings;
  readonly role: string;
  readonly side: Side;
  /** The tool whose arguments or result it is; empty for other texts. */
  readonly tool: string;
  readonly textIndex: number;
  readonly report: (finding: Finding) => void;
  /** Spans to mask in this text; a check that masks adds to it. */
  readonly masks: MaskSpan[];
  readonly scratch: ScratchBuffers;
  /** Set where the text is several messages joined, so that places in it mean nothing to the caller: the length of the last. */
  readonly lastLength?: number;
}

/** All texts of a request, for what shows only over several of them. */
interface TextsSubject {
  readonly policy: CompiledPolicy;
  readonly texts: readonly InspectedText[];
  readonly side: Side;
  readonly report: (finding: Finding) => void;
  /** Masks a range of one of the texts. */
  readonly mask: (label: string, range: TextSpan) => void;
  readonly scratch: ScratchBuffers;
}

/** One question of a policy: about each text, and where it says so about the texts together. */
export interface Check {
  readonly ofText: (subject: Subject) => Block | undefined;
  readonly acrossTexts?: (subject: TextsSubject) => Block | undefined;
}

/** In the order in which a block wins: a keyword in the last text is named before personal data in the first. */
export const checks: readonly Check[] = [
  { ofText: checkKeywords, acrossTexts: checkBrokenKeywords },
  { ofText: checkPatterns },
  { ofText: checkSecrets, acrossTexts: checkBrokenSecrets },
  { ofText: checkPii, acrossTexts: checkBrokenPii },
  { ofText: checkInjection, acrossTexts: checkRecentTurns },
];

/** Stands in place of a text that is not judged here. */
const skipped: InspectedText = { role: "assistant", text: "" };

/** Explanation of a score below the line. */
const nothing: InjectionExplanation = { span: { start: 0, end: 0 }, ideas: [] };

/** Blocks on any keyword; the message shows it as configured. */
function checkKeywords({ policy, readings, side, textIndex, report }: Subject): Block | undefined {
  const matches = findKeywords(readings, policy.keywords);
  for (const { keyword, start, end } of matches) report({ detector: "keyword", label: keyword, start, end, textIndex });
  const [first] = matches;
  return first && { reason: "keyword", message: blockedBy(first.keyword, side) };
}

/** Blocks on a keyword that is broken over neighbouring texts of one role, such as the parts of a message. */
function checkBrokenKeywords({ policy, texts, side, report, scratch }: TextsSubject): Block | undefined {
  if (policy.document.keywords.length === 0) return undefined;
  let first: string | undefined;
  const reported = new Set<string>();
  for (const { text, seams, isCut } of seamsOf(texts, "-")) {
    const readings = readText(text, policy.model.letterStatistics, scratch);
    for (const { keyword, start, end } of findKeywords(readings, policy.keywords)) {
      const seam = seams.findLast(({ at }) => start < at && at < end);
      if (seam === undefined || (isCut && start === 0)) continue;
      first ??= keyword;
      const place = { start: 0, end: end - seam.at, textIndex: seam.textIndex };
      const key = `${keyword} ${place.textIndex} ${place.end}`;
      if (!reported.has(key)) report({ detector: "keyword", label: keyword, ...place });
      reported.add(key);
    }
  }
  return first === undefined ? undefined : { reason: "keyword", message: blockedBy(first, side) };
}

/** Blocks, masks or logs by an administrator's own patterns, named as a keyword is. */
function checkPatterns(subject: Subject): Block | undefined {
  const { patterns } = subject.policy;
  if (patterns === undefined) return undefined;
  const { set, ofTexts, others } = patterns;
  const text = readingText(subject.readings.canonical);
  let block: Block | undefined;
  for (const index of set?.match(text) ?? []) {
    const pattern = ofTexts[index];
    if (pattern?.takesTool(subject.tool) === true) block ??= reportPattern(subject, pattern, text);
  }
  const own = others.filter(({ takesTool }) => takesTool(subject.tool));
  if (own.length === 0) return block;
  const value = own.some(({ path }) => path !== undefined) ? parseJsonTexts(subject.readings.source) : undefined;
  for (const pattern of own) if (fits(pattern, value)) block ??= reportWhole(subject, pattern.document);
  return block;
}

function reportPattern(subject: Subject, { document, single }: CompiledPattern, text: string): Block | undefined {
  const { canonical } = subject.readings;
  const isMask = document.mode === "mask";
  const matcher = text.length <= locateLengthMax || isMask ? single?.matcher(text) : undefined;
  const foundMax = isMask ? Number.POSITIVE_INFINITY : 1;
  let found = 0;
  while (found < foundMax && matcher?.find() === true) {
    const span = toSourceSpan(canonical, matcher.start(), matcher.end());
    subject.report({ detector: "pattern", label: document.name, ...span, textIndex: subject.textIndex });
    if (isMask && span.end > span.start) subject.masks.push({ label: document.name, ...span });
    found += 1;
  }
  return found > 0 ? blockOfPattern(subject.side, document) : reportWhole(subject, document);
}

function reportWhole(subject: Subject, document: PatternDocument): Block | undefined {
  const { readings, side, textIndex, report } = subject;
  report({ detector: "pattern", label: document.name, start: 0, end: readings.source.length, textIndex });
  return blockOfPattern(side, document);
}

/** Blocks, masks or logs credentials. */
function checkSecrets({ policy, readings, side, textIndex, masks, report }: Subject): Block | undefined {
  const { mode, except } = policy.document.secrets;
  if (mode === "off") return undefined;
  let first: string | undefined;
  for (const { kind, start, end } of findSecretSpans(readings, "all")) {
    if (except.includes(kind)) continue;
    const label = secretLabelOf(kind);
    report({ detector: "secret", label, start, end, textIndex, because: [kind] });
    if (mode === "mask") masks.push({ label, start, end });
    first ??= label;
  }
  return mode === "block" && first !== undefined ? blockOfSecret(first, side) : undefined;
}

/** Blocks, masks or logs credentials that are broken over neighbouring texts of one role. */
function checkBrokenSecrets({ policy, texts, side, report, mask, scratch }: TextsSubject): Block | undefined {
  const { mode, except } = policy.document.secrets;
  if (mode === "off") return undefined;
  let first: string | undefined;
  const search = {
    find: (text: string) => findSecretSpans(readCanonical(text, scratch), "all"),
    kindOf: ({ kind }: { readonly kind: string }) => kind,
  };
  for (const { value, parts } of brokenValues(texts, search)) {
    if (except.includes(value.kind)) continue;
    const label = secretLabelOf(value.kind);
    for (const part of parts) {
      report({ detector: "secret", label, ...part, because: [value.kind] });
      if (mode === "mask") mask(label, part);
    }
    first ??= label;
  }
  return mode === "block" && first !== undefined ? blockOfSecret(first, side) : undefined;
}

function blockOfSecret(label: string, side: Side): Block {
  return { reason: "secret", message: `Request blocked: ${label} detected in ${side}.` };
}

/** Blocks, masks or logs personal data, each kind as the policy says; a block names the most severe kind, whatever its place. */
function checkPii({ policy, readings, side, textIndex, masks, report, scratch }: Subject): Block | undefined {
  if (policy.pii.entities.size === 0) return undefined;
  const blocked = new Set<PiiEntity>();
  for (const { entity, start, end } of findPii(readings, policy.pii, scratch)) {
    const label = piiLabels[entity];
    report({ detector: "pii", label, entity, start, end, textIndex });
    const action = piiActionOf(policy.document, entity);
    if (action === "block") blocked.add(entity);
    if (action === "mask") masks.push({ label, start, end });
  }
  return blockOfPii(blocked, side);
}

/** Blocks, masks or logs personal data that is broken over neighbouring texts of one role. */
function checkBrokenPii({ policy, texts, side, report, mask, scratch }: TextsSubject): Block | undefined {
  if (policy.pii.entities.size === 0) return undefined;
  const blocked = new Set<PiiEntity>();
  const search = {
    find: (text: string) => findPii(readCanonical(text, scratch), policy.pii, scratch),
    kindOf: ({ entity }: { readonly entity: string }) => entity,
  };
  for (const { value, parts } of brokenValues(texts, search)) {
    const { entity } = value;
    const label = piiLabels[entity];
    const action = piiActionOf(policy.document, entity);
    for (const part of parts) {
      report({ detector: "pii", label, entity, ...part });
      if (action === "mask") mask(label, part);
    }
    if (action === "block") blocked.add(entity);
  }
  return blockOfPii(blocked, side);
}

function blockOfPii(blocked: ReadonlySet<PiiEntity>, side: Side): Block | undefined {
  const mostSevere = piiEntities.find((entity) => blocked.has(entity));
  return mostSevere && { reason: "pii", message: `Request blocked: ${piiLabels[mostSevere]} detected in ${side}.` };
}

/**
 * Blocks attacks on the model's instructions. In log mode every score is recorded, so that a threshold can be tried on
 * real traffic first; one below the line has an empty place.
 */
function checkInjection({
  policy,
  readings,
  role,
  side,
  textIndex,
  report,
  scratch,
  lastLength,
}: Subject): Block | undefined {
  const { mode, threshold } = policy.document.prompt_injection;
  if (mode === "off" || isTrusted(policy, role)) return undefined;
  // A model's answer gives no orders to it. A tool's result does, where it goes out to the caller's model.
  if (side === "output" && !isDataRole(role)) return undefined;
  const line = policy.model.thresholds[threshold];
  const isExact = mode === "log";
  const result = detectInjection(readings, policy.model, {
    isData: isDataRole(role),
    ...(isExact ? {} : { line }),
    scratch,
  });
  const isHit = result.logit > line;
  if (!isHit && (!isExact || lastLength !== undefined)) return undefined;
  const { span, ideas } = isHit ? result.explain() : nothing;
  report({
    detector: "prompt_injection",
    label: "Prompt injection",
    ...(lastLength === undefined ? span : { start: 0, end: lastLength }),
    textIndex,
    score: 1 / (1 + Math.exp(-result.logit)),
    because: [...result.patterns, ...ideas],
  });
  if (!isHit || mode !== "block") return undefined;
  return { reason: "prompt_injection", message: "Request blocked: prompt injection pattern detected." };
}

/**
 * Whether a caller's instructions are taken for the operator's, which read like commands to a model because they are. The
 * endpoint's own prompt never comes here.
 */
function isTrusted({ document }: CompiledPolicy, role: string): boolean {
  return document.trust_caller_instructions === true && (role === "system" || role === "developer");
}

/** Blocks an attack that is spread over the last short messages. */
function checkRecentTurns({ policy, texts, side, report, scratch }: TextsSubject): Block | undefined {
  const turns =
    side === "output"
      ? undefined
      : recentTurns(texts.map((entry) => (isTrusted(policy, entry.role) ? skipped : entry)));
  if (turns === undefined) return undefined;
  return checkInjection({
    policy,
    readings: readText(turns.text, policy.model.letterStatistics, scratch),
    role: "user",
    side,
    tool: "",
    textIndex: turns.textIndex,
    report,
    masks: [],
    scratch,
    lastLength: texts[turns.textIndex]?.text.length ?? 0,
  });
}
