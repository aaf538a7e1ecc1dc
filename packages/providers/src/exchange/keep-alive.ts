/** Whether an event has no data: some proxies send such events, as well as comments, to keep a quiet connection open. */
export function isKeepAlive({
  name,
  data,
}: {
  readonly name: string;
  readonly data: { readonly length: number };
}): boolean {
  return data.length === 0 && name !== "error";
}
