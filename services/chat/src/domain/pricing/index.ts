import { PriceBook } from "./price-book.ts";

export { type Price, PriceBook, type PricedTarget } from "./price-book.ts";
export { toPricedTarget } from "./priced-target.ts";
export type { PriceOverrides } from "./rates.ts";
export { type TokenUse, toTokenUse } from "./token-use.ts";

let book: Promise<PriceBook> | undefined;

/** The price book, loaded when it is first asked for: the data takes 30 ms and a few megabytes. Always the same one. */
export async function loadPriceBook(): Promise<PriceBook> {
  book ??= import("@pydantic/genai-prices").then((data) => new PriceBook(data));
  return await book;
}
