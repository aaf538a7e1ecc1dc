import type { ReadyTarget } from "../endpoint.ts";
import type { PricedTarget } from "./price-book.ts";

export function toPricedTarget({ address, target }: ReadyTarget): PricedTarget {
  const { kind, baseUrl, model } = address;
  const { inputPricePerMillion, outputPricePerMillion } = target;
  return { kind, baseUrl, model, inputPricePerMillion, outputPricePerMillion };
}
