import { PriceBook } from "./price-book.ts";

let book: Promise<PriceBook> | undefined;

/** The price book, loaded when it is first asked for: the data takes 30 ms and a few megabytes. Always the same one. */
export async function loadPriceBook(): Promise<PriceBook> {
  book ??= loadData();
  return await book;
}

async function loadData(): Promise<PriceBook> {
  const [prices, models] = await Promise.all([import("@pydantic/genai-prices"), import("gpt-tokenizer/models")]);
  return new PriceBook(prices, { ...models });
}
