import { useEffect } from "react";

/** Largest movement of a pointer that still counts as a click, px; a longer one leaves the button on purpose (WCAG 2.5.2). */
const movedMax = 4;
const clickable = 'button, a[href], input[type="checkbox"]';

interface Press {
  readonly element: HTMLElement;
  readonly x: number;
  readonly y: number;
}

/**
 * Delivers a click to the pressed button if the page moved it during the press, as when a list above it loads. The browser would
 * deliver it to a common ancestor, without effect.
 */
export function useSteadyClicks(): void {
  useEffect(() => {
    let press: Press | undefined;
    const onPress = ({ target, clientX, clientY }: PointerEvent) => {
      const element = target instanceof Element ? target.closest<HTMLElement>(clickable) : null;
      press = element === null ? undefined : { element, x: clientX, y: clientY };
    };
    const onClick = (event: MouseEvent) => {
      const pressed = press;
      press = undefined;
      if (pressed === undefined || !isLost(pressed, event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      pressed.element.click();
    };
    globalThis.addEventListener("pointerdown", onPress, { capture: true });
    globalThis.addEventListener("click", onClick, { capture: true });
    return () => {
      globalThis.removeEventListener("pointerdown", onPress, { capture: true });
      globalThis.removeEventListener("click", onClick, { capture: true });
    };
  }, []);
}

/** Whether a stationary press ended beside its element, which moved. */
function isLost({ element, x, y }: Press, event: MouseEvent): boolean {
  const { clientX, clientY, target, detail, ctrlKey, metaKey, shiftKey, altKey } = event;
  const isOfPointer = detail > 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;
  const isStill = Math.hypot(clientX - x, clientY - y) <= movedMax;
  const isBeside = target instanceof Node && target.contains(element) && target !== element;
  return isOfPointer && isStill && isBeside && isInReach(element);
}

/** False where a dialog covers it. */
function isInReach(element: HTMLElement): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const atItsPlace = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return element.isConnected && element.contains(atItsPlace);
}
