/** Stand-in for a value that a reversible mask has replaced. */
export interface Placeholder {
  /** Without its brackets: `E-Mail 1`. */
  readonly label: string;
  /** Empty where the value is not known, so that only the label is reserved. */
  readonly value: string;
}

/** Name of a placeholder, before its number: a model can be expected to repeat it. */
export const placeholderName = /[^[\]\n]{1,50}/u;

/** A placeholder in a masked text or a model's answer, with its label as group 1. */
export const placeholderForm = new RegExp(`\\[(${placeholderName.source} \\d{1,9})\\]`, "gu");

/** UTF-16 units of the longest placeholder, its brackets included. */
const placeholderLengthMax = 62;

/** Index from which a text may become a placeholder with later text; its length where it cannot. */
export function openPlaceholder(text: string): number {
  const open = text.lastIndexOf("[");
  const isOpen = open >= 0 && text.length - open < placeholderLengthMax && !/[\]\n]/u.test(text.slice(open));
  return isOpen ? open : text.length;
}
