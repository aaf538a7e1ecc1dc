import type { CompiledPolicy } from "../policy/compile-policy.ts";
import { charClasses, SPACE } from "../text/char-class.ts";
import { readCanonical } from "../text/readings.ts";
import { maskText } from "../text/mask-text.ts";
import { piiLabels } from "./entity.ts";
import { findPii, type PiiSpan } from "./find-pii.ts";

/** Masks a text that arrives in pieces. */
export interface StreamMask {
  /** Takes the next piece and returns what can be shown now. */
  push(chunk: string): string;
  /** Returns what was held back. */
  end(): string;
}

/** Text already shown that is kept as context for what follows ("phone:" before a number). */
const contextLength = 160;
/** A held-back piece longer than this is one endless word or number: it is settled as it is, which bounds memory. */
const heldLengthMax = 8192;
/** Words a spaced-out entity (card, IBAN, phone, `name [at] host [dot] org`) can have behind the word it ends in. */
const openWordsMax = 12;

/**
 * Creates the mask of a policy for one streamed text. What comes out, joined, is the mask of the whole text; only words
 * that may still grow into a match are held back. With personal data not in mask mode everything passes at once.
 */
export function createStreamMask(policy: CompiledPolicy): StreamMask {
  if (policy.document.pii.mode !== "mask") return { push: (chunk) => chunk, end: () => "" };
  const state: State = { policy, context: "", held: "", isOneWord: false, isInsideKey: false };
  return {
    push(chunk) {
      const piece = state.isInsideKey ? skipKey(state, chunk) : chunk;
      // An unfinished word that only grows is still an unfinished word: no need to look again.
      const stillOpen = state.isOneWord && !/\s/u.test(piece) && state.held.length + piece.length <= heldLengthMax;
      state.held += piece;
      return stillOpen ? "" : release(state);
    },
    end() {
      const spans = findPii(readCanonical(state.context + state.held), policy.pii);
      return settle(state, state.held.length, spans);
    },
  };
}

interface State {
  readonly policy: CompiledPolicy;
  context: string;
  held: string;
  /** Nothing of what is held could be released, and it ends in an unfinished word. */
  isOneWord: boolean;
  /** A private key too long to hold has been masked; the rest of it is dropped. */
  isInsideKey: boolean;
}

const keyBegin = "-----BEGIN";
const keyEnd = "-----END";

function release(state: State): string {
  const { held, context } = state;
  const isFull = held.length > heldLengthMax;
  const keyStart = openKeyStart(held);
  let until = isFull ? held.length : Math.min(openStart(held), keyStart);
  state.isOneWord = until === 0;
  if (until === 0) return "";
  const spans = findPii(readCanonical(context + held), state.policy.pii);
  for (const { start, end } of spans) {
    // A match that reaches into the open words waits with them.
    if (end - context.length > until && start - context.length < until) until = Math.max(0, start - context.length);
  }
  if (isFull && keyStart < held.length) state.isInsideKey = true;
  return until === 0 ? "" : settle(state, until, spans);
}

/** Where a private key begins that has not ended yet; the length of the text when there is none. */
function openKeyStart(text: string): number {
  const begin = text.lastIndexOf(keyBegin);
  return begin < 0 || text.includes(keyEnd, begin) ? text.length : begin;
}

function skipKey(state: State, chunk: string): string {
  // The end mark may be split over chunks, so its beginning is kept.
  const text = state.held + chunk;
  const end = text.indexOf(keyEnd);
  const close = end < 0 ? -1 : text.indexOf("-----", end + keyEnd.length);
  state.held = close < 0 ? text.slice(end < 0 ? -(keyEnd.length - 1) : end) : "";
  state.isInsideKey = close < 0;
  if (close < 0) return "";
  return text.slice(close + 5);
}

function settle(state: State, until: number, spans: readonly PiiSpan[]): string {
  const offset = state.context.length;
  const inside = spans.filter(({ end }) => end > offset && end <= offset + until);
  const shown = inside.map(({ entity, start, end }) => ({
    label: piiLabels[entity],
    start: Math.max(0, start - offset),
    end: end - offset,
  }));
  const output = maskText(state.held.slice(0, until), shown);
  state.context = contextAfter(state.context + state.held.slice(0, until));
  state.held = state.held.slice(until);
  return output;
}

/** The end of what has been shown, cut at a space so that no word is seen without its beginning. */
function contextAfter(shown: string): string {
  if (shown.length <= contextLength) return shown;
  const cut = shown.slice(-contextLength);
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
    while (gap > 0 && start - gap <= 3 && isSpaceAt(text, gap - 1)) gap -= 1;
    if (start - gap > 3) break;
    const previous = wordStart(text, gap);
    const continues = mayContinue(text.slice(previous, gap));
    if (!continues && !isFree) break;
    isFree = /^[[({<]/u.test(text.slice(previous, gap));
    start = previous;
  }
  return start;
}

function wordStart(text: string, end: number): number {
  let index = end;
  while (index > 0 && !isSpaceAt(text, index - 1)) index -= 1;
  return index;
}

function isSpaceAt(text: string, index: number): boolean {
  return ((charClasses()[text.charCodeAt(index)] ?? 0) & SPACE) !== 0;
}

/** A word after which an entity may go on: digits, capital groups of an IBAN, or the pieces of a spelled-out address. */
function mayContinue(word: string): boolean {
  return /[\p{N}[\](){}<>@+]/u.test(word) || /^[A-Z.-]{1,4}$/u.test(word.normalize("NFKC"));
}
