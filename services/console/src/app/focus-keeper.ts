import { useEffect } from "react";

/** Dialogs that close give the focus back by themselves within this time; the keeper acts where nothing has. */
const graceMs = 60;
/** Enough for the openers of dialogs that stand on each other. */
const rememberedMax = 12;
/** No field of text: on a phone its keyboard would come up. */
const focusable =
  'a[href], button:not(:disabled), [tabindex], input:is([type="checkbox"], [type="radio"]):not(:disabled), select:not(:disabled)';

/** A place that had the focus: the element, and for each element around it its number among its parent's children. */
interface Place {
  readonly element: HTMLElement;
  readonly isInDialog: boolean;
  readonly around: readonly { readonly parent: HTMLElement; readonly at: number }[];
}

/**
 * Keeps the focus of people who work with the keyboard (WCAG 2.4.3). Browsers drop it where its element is disabled, as a button is
 * while its call is under way, and where it is removed, as a row is by its own Delete. It then comes back to that button once it can
 * be pressed again, or goes to what now stands in the place of what has gone.
 */
export function useFocusKeeper(): void {
  useEffect(() => {
    const keeper = new FocusKeeper();
    return () => keeper.stop();
  }, []);
}

class FocusKeeper {
  readonly #observer = new MutationObserver(() => this.#lookSoon());
  readonly #ending = new AbortController();
  /** The newest is the last. */
  #places: Place[] = [];
  /** Buttons whose call was under way while they had the focus. */
  readonly #busy = new WeakSet<HTMLElement>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const { signal } = this.#ending;
    document.addEventListener("focusin", ({ target }) => this.#remember(target), { signal });
    document.addEventListener("focusout", ({ target }) => this.#afterBlur(target), { signal });
    // A person who points elsewhere has given the focus up.
    document.addEventListener("pointerdown", ({ target }) => this.#afterPointer(target), { signal });
    this.#observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ["disabled", "data-loading"],
    });
  }

  stop(): void {
    this.#ending.abort();
    this.#observer.disconnect();
    clearTimeout(this.#timer);
  }

  #remember(target: EventTarget | null): void {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    const isInDialog = target.closest('[role="dialog"]') !== null;
    this.#places = [...this.#places, { element: target, isInDialog, around: around(target) }].slice(-rememberedMax);
  }

  /** An element that is there, can have the focus and has it no more was left on purpose. */
  #afterBlur(target: EventTarget | null): void {
    queueMicrotask(() => {
      if (isLost() && target instanceof HTMLElement && target.isConnected && !target.matches(":disabled"))
        this.#places = [];
    });
  }

  #afterPointer(target: EventTarget | null): void {
    const takesFocus = target instanceof Element && target.closest(`${focusable}, input, textarea`) !== null;
    if (isLost() || !takesFocus) this.#places = [];
  }

  #lookSoon(): void {
    const { element } = this.#places.at(-1) ?? {};
    if (element === undefined) return;
    if (element.matches("[data-loading]")) this.#busy.add(element);
    if (!isLost()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#bringBack(), graceMs);
  }

  #bringBack(): void {
    if (!isLost()) return;
    for (const { element, isInDialog, around: parents } of this.#places.toReversed()) {
      // It will be usable again; in its place another one would take its next key.
      if (element.isConnected && element.matches(":disabled") && !this.#isOver(element)) return;
      const isUsable = element.isConnected && !element.matches(":disabled");
      // The focus of a dialog that has gone goes to what opened it.
      if (element.isConnected || !isInDialog) {
        (isUsable ? element : inPlaceOf(parents))?.focus({ preventScroll: true });
        if (!isLost()) return;
      }
    }
  }

  /** Whether a button's call has ended and left it disabled, as one that can be pressed once. */
  #isOver(element: HTMLElement): boolean {
    return this.#busy.has(element) && !element.matches("[data-loading]");
  }
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function around(element: HTMLElement): Place["around"] {
  const { parentElement: parent } = element;
  if (parent === null || parent === document.body) return [];
  return [{ parent, at: [...parent.children].indexOf(element) }, ...around(parent)];
}

/** The row around the place, else what can have the focus in the nearest part that is left: after the place, else before it. */
function inPlaceOf(parents: Place["around"]): HTMLElement | undefined {
  for (const { parent, at } of parents.filter((each) => each.parent.isConnected)) {
    const row = parent.closest<HTMLElement>("tr[data-row]");
    // A further Enter would press the button beside the one that has gone.
    if (row !== null) return row;
    const children = [...parent.children];
    const candidates = [...children.slice(at), ...children.slice(0, at).toReversed()];
    const found = candidates.flatMap((each) => [each, ...each.querySelectorAll(focusable)]);
    const first = found.find(
      (each) => each instanceof HTMLElement && each.matches(focusable) && each.checkVisibility(),
    );
    if (first instanceof HTMLElement) return first;
    if (parent.matches("[tabindex]")) return parent;
  }
  return undefined;
}
