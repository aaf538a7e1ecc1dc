import { contextReachMax } from "../pii/context/lead.ts";
import { contextEntities } from "../pii/entity.ts";
import { isSpokenSign } from "../pii/spoken-emails.ts";
import { charClasses, SPACE, UNSPACED } from "../text/char-class.ts";
import type { PieceOfJson } from "../text/json-escapes.ts";
import { fitPiece, jsonBeginning, type JsonState } from "../text/json-masks.ts";
import { maskText } from "../text/mask-text.ts";
import { masksOverWords } from "./blank-patterns.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { inspect, outputDocuments } from "./inspect.ts";
import { type CheckDocument, piiActionOf } from "./policy-document.ts";
import type { CallContext } from "./scope.ts";
import type { Detector, Finding, Verdict } from "./verdict.ts";

/** State carried from one piece of a streamed text to the next. */
export interface StreamState {
  /** The end of what has been shown, as it was before it was masked: "phone:" before a number. */
  readonly context: string;
  /** Text that may still become a part of a finding. */
  readonly held: string;
  /** A private key too long to hold has been masked; the rest of it is dropped. */
  readonly isInsideKey: boolean;
  /** Place in the text's JSON where `held` begins; absent at the text's beginning. */
  readonly json?: JsonState | undefined;
}

/** The state before the first piece. */
export const streamBeginning: StreamState = { context: "", held: "", isInsideKey: false };

/** The next piece of a streamed text. */
export interface Piece {
  readonly state: StreamState;
  readonly text: string;
  readonly isLast: boolean;
  /** Context of the call; see `InspectRequest`. */
  readonly context?: CallContext;
}

/** Text that can be shown after a piece, or the block that ends the stream. */
interface PieceVerdict {
  readonly shown: string;
  readonly state: StreamState;
  readonly isMasked: boolean;
  /** Findings in the text that is shown now. Their places refer to an internal text, which no caller has. */
  readonly findings: readonly Finding[];
  readonly block: { readonly reason: Detector; readonly message: string } | undefined;
}

/** Text already shown that is kept as context. */
const contextLength = 160;
/** Context where keywords of up to 200 characters are looked for, and where own patterns are. */
const keywordContextLength = 512;
const patternContextLength = 2_048;
/** Open words longer than this are one endless word or number: they are settled as they are, which bounds memory. */
export const heldLengthMax = 8_192;
/** Words a spaced-out entity (card, IBAN, phone, `name [at] host [dot] org`) can have behind the word it ends in: an IBAN's letters. */
const openWordsMax = 34;
/** Letters held back of a script that puts no blanks between words. */
const unspacedHeldMax = 32;

/**
 * Judges the next piece of an answer that is streamed. What is shown, joined, is the mask of the whole text; only words that
 * may still grow into a finding are held back. A block comes before what it is about is shown whole. Pure: the state is the
 * caller's to keep. Linear in the piece and what is held.
 */
export function inspectPiece(policy: CompiledPolicy, { state, text, isLast, ...of }: Piece): PieceVerdict {
  const documents = outputDocuments(policy, of.context);
  if (documents.length === 0) return passed(state.held + text);
  const look = (whole: string, exhaustive = false): Verdict => {
    const { context: call } = of;
    // Patterns of a tool know no pieces: `outputCheckOf` has such a stream judged whole.
    const texts = [{ role: "assistant", text: whole }];
    const request = { side: "output", texts, piece: placeOf(state), exhaustive } as const;
    return inspect(policy, call === undefined ? request : { ...request, context: call });
  };
  const piece = state.isInsideKey ? skipKey(state, text) : { held: state.held + text, isInsideKey: false };
  const { held, isInsideKey } = piece;
  if (isInsideKey) return { ...passed(""), state: { ...state, held: isLast ? "" : held, isInsideKey } };
  const { context } = state;
  const keyStart = openKeyStart(held);
  const open = held.slice(0, keyStart);
  const settledEnd = isLast ? held.length : Math.min(openStart(open), contextStart(open, documents), keyStart);
  let until = withinHeld(held, settledEnd);
  if (until === 0) return { ...passed(""), state: { ...state, held, isInsideKey } };
  const judged = look(context + held);
  // A block leaves out the masks of the checks behind it, and open words may block that will not when they are complete.
  const seen = judged.blocked ? look(context + held, true) : judged;
  // From the last to the first: one that waits may have an earlier one's end in its word.
  for (const { start, end } of seen.maskedSpans?.toReversed() ?? []) {
    // A find that reaches into the open words waits with them, and with the word that it begins in.
    if (end - context.length > until && start - context.length < until)
      until = wordStart(held, Math.max(0, start - context.length));
  }
  until = withinHeld(held, until);
  const settled = judged.blocked && until < held.length ? look(context + held.slice(0, until)) : judged;
  if (settled.blocked) return { ...passed(""), block: blockOf(settled), findings: settled.findings };
  // Only of a key that is masked: other texts may have its first words, too.
  const isKeyCut = (seen.maskedSpans ?? []).some(
    ({ start, end }) => start <= context.length + keyStart && end === context.length + until,
  );
  const isInKey = keyStart < held.length && until === held.length && isKeyCut;
  return flush(contextLengthOf(documents), { state, held, until, seen, isInsideKey: isInKey });
}

/** Where the held text begins in what is looked at, and in the text's JSON. */
function placeOf({ context, json = jsonBeginning }: StreamState): PieceOfJson {
  return { at: context.length, place: json.place };
}

/** Where the open words begin; the end of the text where they are more than may be held. */
function withinHeld(held: string, openFrom: number): number {
  return held.length - openFrom > heldLengthMax ? held.length : openFrom;
}

function passed(shown: string): PieceVerdict {
  return { shown, state: streamBeginning, isMasked: false, findings: [], block: undefined };
}

function blockOf({ reason = "content_length", message = "" }: Verdict): PieceVerdict["block"] {
  return { reason, message };
}

interface Flushing {
  readonly state: StreamState;
  readonly held: string;
  readonly until: number;
  readonly seen: Verdict;
  readonly isInsideKey: boolean;
}

function flush(keptLength: number, { state, held, until, seen, isInsideKey }: Flushing): PieceVerdict {
  const { context, json = jsonBeginning } = state;
  const offset = context.length;
  const isNew = ({ end }: { readonly end: number }): boolean => end > offset && end <= offset + until;
  const spans = (seen.maskedSpans ?? [])
    .filter(isNew)
    .map(({ label, start, end }) => ({ label, start: Math.max(0, start - offset), end: end - offset }));
  const shown = held.slice(0, until);
  const fitted = fitPiece(shown, spans, json);
  return {
    shown: maskText(shown, fitted.spans),
    state: {
      context: contextAfter(context + shown, keptLength),
      held: held.slice(until),
      isInsideKey,
      json: fitted.state,
    },
    isMasked: spans.length > 0,
    findings: seen.findings.filter(isNew),
    block: undefined,
  };
}

function contextLengthOf(documents: readonly CheckDocument[]): number {
  if (documents.some(({ patterns }) => patterns.length > 0)) return patternContextLength;
  if (documents.some(looksAtContext)) return keywordContextLength;
  return documents.some(({ keywords }) => keywords.length > 0) ? keywordContextLength : contextLength;
}

/** Whether a policy looks for names, addresses or birth dates: words far behind a place may make it a part of one. */
function looksAtContext(document: CheckDocument): boolean {
  return contextEntities.some(
    (entity) => document.pii.entities.includes(entity) && piiActionOf(document, entity) !== "off",
  );
}

/** Index from which words that are still to come may decide about the text: where the words around a value do, or a pattern. */
function contextStart(text: string, documents: readonly CheckDocument[]): number {
  const reach = masksOverWords(documents) ? patternContextLength : documents.some(looksAtContext) ? contextReachMax : 0;
  if (reach === 0) return text.length;
  return text.length <= reach ? 0 : wordStart(text, text.length - reach);
}

const keyBegin = "-----BEGIN";
const keyEnd = "-----END";

/** Where a private key begins that has not ended yet; the length of the text when there is none. */
function openKeyStart(text: string): number {
  const begin = text.lastIndexOf(keyBegin);
  return begin < 0 || text.includes(keyEnd, begin) ? text.length : begin;
}

/** The text after a long private key: nothing until its end mark, which may be split over pieces. */
function skipKey(state: StreamState, piece: string): { held: string; isInsideKey: boolean } {
  const text = state.held + piece;
  const end = text.indexOf(keyEnd);
  const close = end < 0 ? -1 : text.indexOf("-----", end + keyEnd.length);
  if (close < 0) return { held: text.slice(end < 0 ? -(keyEnd.length - 1) : end), isInsideKey: true };
  return { held: text.slice(close + 5), isInsideKey: false };
}

/** The end of what has been shown, cut at a space so that no word is seen without its beginning. */
function contextAfter(shown: string, length: number): string {
  if (shown.length <= length) return shown;
  const cut = shown.slice(-length);
  const space = cut.search(/\s/u);
  return space < 0 ? cut : cut.slice(space);
}

/**
 * Index from which the text may still change its meaning: the unfinished word, the word before it (which may become the
 * name in `name [at] host`), and the number-like or bracketed words before those.
 */
function openStart(text: string): number {
  let start = wordStart(text, text.length);
  let isFree = true;
  for (let words = 0; words < openWordsMax && start > 0; words += 1) {
    let gap = start;
    while (gap > 0 && start - gap <= 3 && isAt(text, gap - 1, SPACE)) gap -= 1;
    if (start - gap > 3 || gap === start) break;
    const previous = wordStart(text, gap);
    const word = text.slice(previous, gap);
    if (!mayContinue(word) && !isFree) break;
    isFree = /^(?:[[({<]|\.$)/u.test(word) || isSpokenSign(word);
    start = previous;
  }
  return start;
}

/** Where the word begins that ends at `end`; of a sentence without blanks, its last letters. */
function wordStart(text: string, end: number): number {
  let index = end;
  while (index > 0 && !isAt(text, index - 1, SPACE)) {
    if (end - index >= unspacedHeldMax && isAt(text, index - 1, UNSPACED) && isAt(text, index, UNSPACED)) break;
    index -= 1;
  }
  return index;
}

function isAt(text: string, index: number, flag: number): boolean {
  return ((charClasses()[text.charCodeAt(index)] ?? 0) & flag) !== 0;
}

/** A word after which an entity may go on: digits, marks between them, capital groups of an IBAN, or pieces of a spelled-out address. */
function mayContinue(word: string): boolean {
  return /[\p{N}[\](){}<>@+]/u.test(word) || /^[A-Z./-]{1,4}$/u.test(word.normalize("NFKC")) || isSpokenSign(word);
}
