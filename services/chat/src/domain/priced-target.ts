import type { ReadyTarget } from "./endpoint.ts";
import type { PricedTarget } from "@gatehouse/providers";

export function toPricedTarget({ address, target }: ReadyTarget): PricedTarget {
  const { kind, baseUrl, model } = address;
  const { inputPricePerMillion, outputPricePerMillion } = target;
  return { kind, baseUrl, model, inputPricePerMillion, outputPricePerMillion };
}
