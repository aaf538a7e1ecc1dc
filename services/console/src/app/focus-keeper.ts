import { useEffect } from "react";

/** Time for a closing dialog to return the focus itself, before the keeper does. */
const graceMs = 60;
/** Enough for stacked dialogs. */
const rememberedMax = 12;
/** Excludes text fields, which would open a phone's keyboard. */
const focusable =
  'a[href], button:not(:disabled), [tabindex], input:is([type="checkbox"], [type="radio"]):not(:disabled), select:not(:disabled)';

/** Position of a focused element: the element, and for each ancestor the index of its child. */
interface Place {
  readonly element: HTMLElement;
  readonly isInDialog: boolean;
  readonly around: readonly { readonly parent: HTMLElement; readonly at: number }[];
}

/**
 * Restores the focus of keyboard users (WCAG 2.4.3). Browsers drop it when its element is disabled, such as a button during its
 * call, or removed, such as a row by its own Delete. It returns to that button once it is enabled, or moves to the element in the
 * removed one's position.
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
  /** Newest last. */
  #places: Place[] = [];
  /** Buttons whose call was in progress while they had the focus. */
  readonly #busy = new WeakSet<HTMLElement>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const { signal } = this.#ending;
    document.addEventListener("focusin", ({ target }) => this.#remember(target), { signal });
    document.addEventListener("focusout", ({ target }) => this.#afterBlur(target), { signal });
    // Pointing elsewhere gives the focus up.
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
    const isInDialog = target.closest('dialog, [role="dialog"]') !== null;
    this.#places = [...this.#places, { element: target, isInDialog, around: around(target) }].slice(-rememberedMax);
  }

  /** An element that is still present and focusable was left on purpose. */
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
      // It will be enabled again; another element in its place would receive the next key.
      if (element.isConnected && element.matches(":disabled") && !this.#isOver(element)) return;
      const isUsable = element.isConnected && !element.matches(":disabled");
      // Focus in a closed dialog returns to its opener.
      if (element.isConnected || !isInDialog) {
        (isUsable ? element : inPlaceOf(parents))?.focus({ preventScroll: true });
        if (!isLost()) return;
      }
    }
  }

  /** Whether a button stayed disabled after its call, like one that works once. */
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

/** The row at the position, else the nearest focusable element after it, or before it. */
function inPlaceOf(parents: Place["around"]): HTMLElement | undefined {
  for (const { parent, at } of parents.filter((each) => each.parent.isConnected)) {
    const row = parent.closest<HTMLElement>("tr[data-row]");
    // The row rather than a button in it, which another Enter would press.
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
