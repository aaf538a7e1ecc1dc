import { defineResource, integer, nullable, number, string, writable, writableOptional } from "@gatehouse/admin";
import { endpointBounds } from "./endpoint-bounds.ts";
import { providerBounds } from "./provider-rules.ts";

const { modelLengthMax, pricePerMillionMax, retriesMax } = endpointBounds;

const price = (side: string) =>
  writableOptional(
    number({ description: `US dollars for a million ${side} tokens.`, min: 0, max: pricePerMillionMax }),
    { shownAs: nullable(number()) },
  );

/** One entry of an endpoint's `targets`. Its prices replace those of the price book, US dollars per million tokens. */
export const target = defineResource({
  provider: writable(string({ description: "A provider's name.", lengthMax: providerBounds.nameLengthMax })),
  model: writable(string({ description: "The provider's name of the model.", lengthMax: modelLengthMax })),
  input_price_per_million: price("input"),
  output_price_per_million: price("output"),
  retries: writableOptional(
    integer({
      description: "Further tries at this target before the next one; 0 when absent.",
      min: 0,
      max: retriesMax,
    }),
    { shownAs: nullable(number()) },
  ),
});
